// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Messages that wait for the task thread. What a record may be waiting for is handled before what
 * is migrated in the background, of which up to a window of each donor may be in here.
 *
 * <p>Any thread adds; the task thread handles.
 */
public final class Inbox {

    private final Queue<PeerEnvelope> urgent = new ConcurrentLinkedQueue<>();
    private final Queue<PeerEnvelope> bulk = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final TaskThread thread;
    private final long budgetNanos;
    private final Handler handler;
    private final TaskThread.Mail afterwards;

    /** Handles a message. */
    @FunctionalInterface
    public interface Handler {
        void handle(PeerEnvelope message) throws Exception;
    }

    /**
     * @param budgetNanos how long it may work on the background before the task does something else
     * @param handler gets the messages, those of a priority in the order in which they came
     * @param afterwards run when some have been handled, in the same mail
     */
    public Inbox(TaskThread thread, long budgetNanos, Handler handler, TaskThread.Mail afterwards) {
        this.thread = thread;
        this.budgetNanos = budgetNanos;
        this.handler = handler;
        this.afterwards = afterwards;
    }

    /** Any thread. */
    public void add(PeerEnvelope message) {
        (message.priority() == Priority.BULK ? bulk : urgent).add(message);
        schedule();
    }

    /** Whether a record may be waiting for a message in here. */
    public boolean hasUrgent() {
        return !urgent.isEmpty();
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            thread.execute(this::handleSome, "Transition messages");
        }
    }

    private void handleSome() throws Exception {
        scheduled.set(false);
        long deadline = thread.nanoTime() + budgetNanos;
        boolean inTime = true;
        PeerEnvelope message;
        while (inTime && (message = next()) != null) {
            handler.handle(message);
            inTime = hasUrgent() || thread.nanoTime() - deadline < 0;
        }
        if (!inTime) {
            schedule();
        }
        afterwards.run();
    }

    private PeerEnvelope next() {
        PeerEnvelope message = urgent.poll();
        return message == null ? bulk.poll() : message;
    }
}
