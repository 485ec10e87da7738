/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import io.meces.core.migration.TaskThread;
import io.meces.runtime.transition.Transition;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.streaming.api.operators.MailboxExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of a task, by its mailbox. What comes after the end of the task is dropped. */
final class MailboxThread implements TaskThread {

    private static final Logger LOG = LoggerFactory.getLogger(MailboxThread.class);

    private final MailboxExecutor mailbox;
    private final Transition transition;

    MailboxThread(MailboxExecutor mailbox, Transition transition) {
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
