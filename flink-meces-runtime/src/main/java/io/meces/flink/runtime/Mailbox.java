// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.MailboxExecutor;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.util.function.ThrowingRunnable;

/** The mailbox of a task: what is put into it is run by the task thread. Thread-safe. */
public final class Mailbox {

    private final MailboxExecutor executor;

    private Mailbox(MailboxExecutor executor) {
        this.executor = executor;
    }

    public static Mailbox of(StreamTask<?, ?> task) {
        return new Mailbox(StreamTaskAccess.mailbox(task));
    }

    /**
     * Has the task thread run it.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the task has ended
     */
    public void execute(ThrowingRunnable<? extends Exception> mail, String description) {
        executor.execute(mail, description);
    }
}
