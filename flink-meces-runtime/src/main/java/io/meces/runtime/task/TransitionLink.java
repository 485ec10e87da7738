// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.command.TaskCommand;
import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionOrigin;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * Reaches the peers of an elastic subtask by a transition service. Owned by the task thread, but
 * for {@link #concerns}.
 */
public final class TransitionLink implements PeerLink {

    private final Transition transition;
    private final ExchangeMetrics metrics;
    private final JobID job;
    private final JobVertexID vertex;
    private final AttemptId attempt;
    private final int subtask;

    /** All that took part in a step so far. */
    private final Map<Integer, TransitionAddress> addresses = new HashMap<>();

    private final Map<Integer, AttemptId> attempts = new HashMap<>();

    /** That of the last message; one rescale follows another. */
    @Nullable private TransitionOrigin origin;

    public TransitionLink(
            Transition transition,
            ExchangeMetrics metrics,
            JobID job,
            JobVertexID vertex,
            AttemptId attempt,
            int subtask) {
        this.transition = transition;
        this.metrics = metrics;
        this.job = job;
        this.vertex = vertex;
        this.attempt = attempt;
        this.subtask = subtask;
    }

    /** Whether a message comes from the same vertex. Any thread. */
    boolean concerns(TransitionMessage message) {
        return message.origin().vertex().equals(vertex) && message.origin().job().equals(job);
    }

    /** Learns who takes part in a step, and gets ready to reach them. */
    public void meet(Map<Integer, TaskCommand.Peer> participants) {
        participants.forEach(
                (index, peer) -> {
                    addresses.put(index, peer.address());
                    attempts.put(index, peer.attempt());
                    if (index != subtask) {
                        transition.service().prepare(peer.address());
                    }
                });
    }

    @Override
    public void send(
            UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
        transition
                .service()
                .send(addresses.get(peer), envelope(rescale, peer, priority, sequence, message));
    }

    @Override
    public void release(
            UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
        transition
                .service()
                .release(addresses.get(peer), envelope(rescale, peer, priority, sequence, message));
    }

    private TransitionMessage envelope(
            UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
        if (origin == null || !origin.rescale().equals(rescale)) {
            origin = new TransitionOrigin(job, vertex, rescale, attempt, subtask);
        }
        return new TransitionMessage(origin, attempts.get(peer), message, priority, sequence);
    }

    @Override
    public InFlightBytes inFlight() {
        return transition.inFlight();
    }

    @Override
    public ExchangeMetrics metrics() {
        return metrics;
    }
}
