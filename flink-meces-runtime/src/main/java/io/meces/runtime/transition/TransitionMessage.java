// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.PeerEnvelope;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.util.Objects;
import java.util.UUID;

/**
 * One message between two subtasks of an elastic vertex. Immutable; the payload must not be
 * changed.
 *
 * <p>It names job, vertex, rescale, step, and the execution attempts of both sides, so that a
 * receiver can tell what is meant for another attempt or belongs to another rescale or step. {@link
 * Priority} and sequence number say where it stands among the messages of its sender.
 */
public final class TransitionMessage implements PeerEnvelope {

    private final TransitionOrigin origin;
    private final AttemptId receiver;
    private final PeerMessage content;
    private final Priority priority;
    private final long sequence;

    /**
     * @param sequence the position in the priority, from 0; -1 for acknowledgements
     */
    public TransitionMessage(
            TransitionOrigin origin,
            AttemptId receiver,
            PeerMessage content,
            Priority priority,
            long sequence) {
        this.origin = Objects.requireNonNull(origin);
        this.receiver = Objects.requireNonNull(receiver);
        this.content = Objects.requireNonNull(content);
        this.priority = Objects.requireNonNull(priority);
        this.sequence = sequence;
    }

    /** The same message as the {@code sequence}-th of a priority. */
    public TransitionMessage sequenced(Priority newPriority, long newSequence) {
        return new TransitionMessage(origin, receiver, content, newPriority, newSequence);
    }

    /** The same message with another payload: a service may keep the payload elsewhere. */
    public TransitionMessage withPayload(byte[] newPayload) {
        return new TransitionMessage(
                origin, receiver, content.withPayload(newPayload), priority, sequence);
    }

    public TransitionOrigin origin() {
        return origin;
    }

    public AttemptId receiver() {
        return receiver;
    }

    @Override
    public UUID rescale() {
        return origin.rescale();
    }

    @Override
    public int from() {
        return origin.subtask();
    }

    @Override
    public AttemptId sender() {
        return origin.attempt();
    }

    @Override
    public Priority priority() {
        return priority;
    }

    @Override
    public long sequence() {
        return sequence;
    }

    @Override
    public PeerMessage content() {
        return content;
    }

    public PeerMessage.Kind kind() {
        return content.kind();
    }

    public byte[] payload() {
        return content.payload();
    }

    @Override
    public String toString() {
        return content + " from " + origin + " to " + receiver + ", " + priority + " " + sequence;
    }
}
