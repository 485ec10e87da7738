// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;

/** Tells which messages are sent to which peer; nothing arrives. */
final class ToldMessages implements PeerLink {

    private final ObjIntConsumer<PeerMessage> sent;

    private ToldMessages(ObjIntConsumer<PeerMessage> sent) {
        this.sent = sent;
    }

    /**
     * @param sent gets each message and its receiver
     */
    static PeerExchange exchange(
            MigrationSettings settings, LongSupplier nanoTime, ObjIntConsumer<PeerMessage> sent) {
        return new PeerExchange(
                new UUID(1, 1),
                settings.flowControl,
                new ToldMessages(sent),
                nanoTime,
                new Handovers(Indifferent.of(Handovers.Port.class)),
                (from, priority, message) -> {},
                () -> {});
    }

    static PeerLink link(ObjIntConsumer<PeerMessage> sent) {
        return new ToldMessages(sent);
    }

    @Override
    public void send(
            UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
        sent.accept(message, peer);
    }

    @Override
    public void release(
            UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
        // nothing is kept
    }

    @Override
    public InFlightBytes inFlight() {
        return new InFlightBytes(1, change -> {});
    }

    @Override
    public ExchangeMetrics metrics() {
        return Indifferent.of(ExchangeMetrics.class);
    }
}
