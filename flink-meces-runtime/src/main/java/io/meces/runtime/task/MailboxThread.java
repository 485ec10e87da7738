// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.exchange.TaskThread;
import io.meces.flink.runtime.Mailbox;
import io.meces.runtime.transition.Transition;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of a task, by its mailbox. What comes after the end of the task is dropped. */
final class MailboxThread implements TaskThread {

    private static final Logger LOG = LoggerFactory.getLogger(MailboxThread.class);

    private final Mailbox mailbox;
    private final Transition transition;

    MailboxThread(Mailbox mailbox, Transition transition) {
        this.mailbox = mailbox;
        this.transition = transition;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void execute(Mail mail, String description) {
        try {
            mailbox.execute(mail::run, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("The task has ended: {} is dropped", description, e);
        }
    }

    @Override
    public void executeAfter(long nanos, Mail mail, String description) {
        try {
            transition.after(Duration.ofNanos(nanos), () -> execute(mail, description));
        } catch (RejectedExecutionException e) {
            LOG.debug("The TaskManager ends: {} is dropped", description, e);
        }
    }
}
