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

import io.meces.runtime.courier.Lane;
import io.meces.runtime.transition.TransitionInbox;
import io.meces.runtime.transition.TransitionMessage;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Messages that wait for the task thread. What a record may be waiting for is handled before what
 * is migrated in the background, of which up to a window of each donor may be in here.
 *
 * <p>Any thread adds; the task thread handles.
 */
final class TaskInbox implements TransitionInbox {

    private final Queue<TransitionMessage> urgent = new ConcurrentLinkedQueue<>();
    private final Queue<TransitionMessage> bulk = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Consumer<ThrowingRunnable<Exception>> mailbox;
    private final long budgetNanos;
    private final Handler handler;
    private final ThrowingRunnable<Exception> afterwards;

    /** Handles a message. */
    @FunctionalInterface
    interface Handler {
        void handle(TransitionMessage message) throws Exception;
    }

    /**
     * @param mailbox has the task thread run something soon
     * @param budgetNanos how long it may work on the background before the task does something else
     * @param handler gets the messages, those of a lane in the order in which they came
     * @param afterwards run when some have been handled, in the same mail
     */
    TaskInbox(
            Consumer<ThrowingRunnable<Exception>> mailbox,
            long budgetNanos,
            Handler handler,
            ThrowingRunnable<Exception> afterwards) {
        this.budgetNanos = budgetNanos;
        this.mailbox = mailbox;
        this.handler = handler;
        this.afterwards = afterwards;
    }

    @Override
    public void onMessage(TransitionMessage message) {
        (message.lane() == Lane.BULK ? bulk : urgent).add(message);
        schedule();
    }

    /** Whether a record may be waiting for a message in here. */
    boolean hasUrgent() {
        return !urgent.isEmpty();
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            mailbox.accept(this::handleSome);
        }
    }

    private void handleSome() throws Exception {
        scheduled.set(false);
        long deadline = System.nanoTime() + budgetNanos;
        boolean inTime = true;
        TransitionMessage message;
        while (inTime && (message = next()) != null) {
            handler.handle(message);
            inTime = hasUrgent() || System.nanoTime() - deadline < 0;
        }
        if (!inTime) {
            schedule();
        }
        afterwards.run();
    }

    private TransitionMessage next() {
        TransitionMessage message = urgent.poll();
        return message == null ? bulk.poll() : message;
    }
}
