// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.UUID;

/** A message as it has come, by whatever way. */
public final class TestEnvelope implements PeerEnvelope {

    private final UUID rescale;
    private final int from;
    private final Object sender;
    private final Priority priority;
    private final long sequence;
    private final PeerMessage content;

    public TestEnvelope(
            UUID rescale,
            int from,
            Object sender,
            Priority priority,
            long sequence,
            PeerMessage content) {
        this.rescale = rescale;
        this.from = from;
        this.sender = sender;
        this.priority = priority;
        this.sequence = sequence;
        this.content = content;
    }

    @Override
    public UUID rescale() {
        return rescale;
    }

    @Override
    public int from() {
        return from;
    }

    @Override
    public Object sender() {
        return sender;
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

    @Override
    public String toString() {
        return content + " from " + from + ", " + priority + " " + sequence;
    }
}
