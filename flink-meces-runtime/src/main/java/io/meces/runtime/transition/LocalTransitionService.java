// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands messages over within one TaskManager, in the sender's thread and without a copy.
 * Thread-safe.
 */
public final class LocalTransitionService implements TransitionService {

    private static final Logger LOG = LoggerFactory.getLogger(LocalTransitionService.class);

    private final ConcurrentMap<AttemptId, TransitionInbox> inboxes = new ConcurrentHashMap<>();
    private final TransitionAddress address;
    private final TransitionMetrics metrics;

    public LocalTransitionService(TransitionAddress address, TransitionMetrics metrics) {
        this.address = address;
        this.metrics = metrics;
    }

    @Override
    public TransitionAddress address() {
        return address;
    }

    @Override
    public void register(AttemptId task, TransitionInbox inbox) {
        if (inboxes.putIfAbsent(task, inbox) != null) {
            throw new IllegalStateException("task " + task + " has an inbox already");
        }
    }

    @Override
    public void unregister(AttemptId task) {
        inboxes.remove(task);
    }

    @Override
    public void prepare(TransitionAddress to) {
        // it is here
    }

    @Override
    public void send(TransitionAddress to, TransitionMessage message) {
        deliver(message);
    }

    /** Whether the task has an inbox now. */
    public boolean isHere(AttemptId task) {
        return inboxes.containsKey(task);
    }

    /** Gives a message to its receiver; one for a task that is not here any more is dropped. */
    public void deliver(TransitionMessage message) {
        TransitionInbox inbox = inboxes.get(message.receiver());
        if (inbox == null) {
            metrics.dropped(DropReason.UNKNOWN_RECEIVER);
            LOG.debug("Dropped, as its receiver is not here: {}", message);
        } else {
            inbox.onMessage(message);
        }
    }

    @Override
    public void release(TransitionAddress to, TransitionMessage message) {
        // nothing is kept
    }

    @Override
    public void close() {
        inboxes.clear();
    }
}
