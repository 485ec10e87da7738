// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.util.Objects;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;

/**
 * Who sends a message, and in which rescale: what tells one rescale, one job and one attempt from
 * all others that use the same network, broker or store. Immutable.
 */
public final class TransitionOrigin {

    private final JobID job;
    private final JobVertexID vertex;
    private final UUID rescale;
    private final AttemptId attempt;
    private final int subtask;

    /**
     * @param attempt the sender
     * @param subtask its index in the vertex
     */
    public TransitionOrigin(
            JobID job, JobVertexID vertex, UUID rescale, AttemptId attempt, int subtask) {
        this.job = Objects.requireNonNull(job);
        this.vertex = Objects.requireNonNull(vertex);
        this.rescale = Objects.requireNonNull(rescale);
        this.attempt = Objects.requireNonNull(attempt);
        this.subtask = subtask;
    }

    /** A message that is yet to be {@link TransitionMessage#sequenced}. */
    public TransitionMessage to(AttemptId receiver, PeerMessage content) {
        return new TransitionMessage(this, receiver, content, Priority.CONTROL, -1);
    }

    public JobID job() {
        return job;
    }

    public JobVertexID vertex() {
        return vertex;
    }

    public UUID rescale() {
        return rescale;
    }

    public AttemptId attempt() {
        return attempt;
    }

    public int subtask() {
        return subtask;
    }

    @Override
    public boolean equals(Object o) {
        if (!(o instanceof TransitionOrigin)) {
            return false;
        }
        TransitionOrigin other = (TransitionOrigin) o;
        return other.attempt.equals(attempt)
                && other.rescale.equals(rescale)
                && other.vertex.equals(vertex)
                && other.job.equals(job)
                && other.subtask == subtask;
    }

    @Override
    public int hashCode() {
        return attempt.hashCode() * 31 + rescale.hashCode();
    }

    /** Without the id of the rescale, which is a secret. */
    @Override
    public String toString() {
        return "subtask " + subtask + " (" + attempt + ") of " + vertex;
    }
}
