// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An elastic subtask's exchange of messages with its peers in one rescale: fencing, exactly-once
 * delivery by {@link ReliableMessaging}, schemas before the units that need them, chunks of units,
 * flow control.
 *
 * <p>Owned by the task thread.
 */
public final class PeerExchange implements MessagingPort<PeerMessage> {

    private static final Logger LOG = LoggerFactory.getLogger(PeerExchange.class);

    private final UUID rescale;
    private final FlowControl flowControl;
    private final PeerLink link;
    private final LongSupplier nanoTime;
    private final Handovers handovers;
    private final Handler handler;
    private final Runnable sent;
    private final PushWindow window;
    private final ReliableMessaging<PeerMessage> messaging =
            new ReliableMessaging<>(this, message -> message.payload().length);

    /** The attempts of all that took part in a step so far; they do not change in a rescale. */
    private final Map<Integer, Object> attempts = new HashMap<>();

    /** Messages of a step that has not begun here. */
    private final ArrayDeque<PeerEnvelope> early = new ArrayDeque<>();

    private final Map<Integer, UnitChunk> chunks = new HashMap<>();

    /** By peer and priority: the schema that was sent last. */
    private final Map<Integer, byte[]> schemas = new HashMap<>();

    private long step = -1;
    private long repeatedSoFar;
    private long duplicatesSoFar;

    /**
     * An exchange without peers; they are met when steps start.
     *
     * @param handovers tells consumers of each message with units before it is sent
     * @param handler gets the messages of peers, each once and in order within its priority
     * @param sent told of each message that is sent, whatever has caused it: {@link #repeat} is to
     *     be called until it has been acknowledged
     */
    public PeerExchange(
            UUID rescale,
            FlowControl flowControl,
            PeerLink link,
            LongSupplier nanoTime,
            Handovers handovers,
            Handler handler,
            Runnable sent) {
        this.rescale = rescale;
        this.flowControl = flowControl;
        this.link = link;
        this.nanoTime = nanoTime;
        this.handovers = handovers;
        this.handler = handler;
        this.sent = sent;
        this.window = new PushWindow(flowControl.windowBytes, flowControl.windowBytesOnDemand);
    }

    /** Handles what peers say. */
    @FunctionalInterface
    public interface Handler {
        void handle(int from, Priority priority, PeerMessage message) throws Exception;
    }

    /**
     * A step starts. {@link #takeEarly} has what came of it before.
     *
     * @param participants by subtask index: the attempts that take part
     */
    public void startStep(long newStep, Map<Integer, ?> participants) {
        step = newStep;
        attempts.putAll(participants);
    }

    // ------------------------------------------------------------------------
    //  Sending
    // ------------------------------------------------------------------------

    public void send(int peer, PeerMessage message) {
        send(peer, Priority.CONTROL, message);
    }

    /** All that is sent goes this way: what it takes is given back by {@link #release}. */
    public void send(int peer, Priority priority, PeerMessage message) {
        if (message.hasState()) {
            link.inFlight().add(message.payload().length);
        }
        messaging.send(peer, priority, message, nanoTime.getAsLong());
        sent.run();
    }

    /** Sends a unit, and before it what its receiver needs to read it. */
    public void send(ExtractedUnit unit) throws IOException {
        Priority priority = unit.onDemand ? Priority.URGENT : Priority.BULK;
        if (isNew(unit.schema, unit.receiver, priority)) {
            flush(true, false);
            schemas.put(path(unit.receiver, priority), unit.schema);
            send(unit.receiver, priority, PeerMessage.schema(step, unit.schema));
        }
        if (unit.onDemand) {
            sendOnDemand(unit.receiver, unit.unit, unit.state);
        } else {
            sendInBackground(unit.receiver, unit.unit, unit.state);
        }
    }

    private boolean isNew(byte[] schema, int peer, Priority priority) {
        return schemas.get(path(peer, priority)) != schema;
    }

    private static int path(int peer, Priority priority) {
        return peer * Priority.COUNT + priority.ordinal();
    }

    /** Sends what a record waits for, ahead of everything in the background. */
    public void sendOnDemand(int peer, int unit, byte[] state) throws IOException {
        link.metrics().granted(true);
        window.onDemand(nanoTime.getAsLong());
        sendRetained(peer, Priority.URGENT, PeerMessage.unit(step, unit, state));
    }

    /**
     * Sends a unit in the background: together with others, by {@link #flush}, unless it fills a
     * chunk alone. A chunk is no larger than the window; while records wait that means one chunk at
     * a time, so that the background keeps one thread busy at a time and not one at each end.
     */
    public void sendInBackground(int peer, int unit, byte[] state) throws IOException {
        link.metrics().granted(false);
        long now = nanoTime.getAsLong();
        long full = Math.min(flowControl.chunkBytes, window.bytes(now));
        UnitChunk chunk = chunks.computeIfAbsent(peer, p -> new UnitChunk());
        if (chunk.isEmpty() && state.length >= full) {
            sendRetained(peer, Priority.BULK, PeerMessage.unit(step, unit, state));
            return;
        }
        chunk.add(unit, state, now);
        if (chunk.bytes() >= full) {
            send(peer, chunk);
        }
    }

    /**
     * Takes a unit back that has been given to the background and is not sent yet.
     *
     * @param schema what it would now be read with
     * @return its state; null if it is not here
     */
    @Nullable
    public byte[] takeBack(int peer, int unit, byte[] schema) throws IOException {
        if (isNew(schema, peer, Priority.BULK)) {
            // what waits in a chunk can only be read with the schema of its priority
            flush(true, false);
        }
        UnitChunk chunk = chunks.get(peer);
        return chunk == null ? null : chunk.remove(unit);
    }

    /**
     * Sends chunks that are not full and have waited long enough. While the flow control holds
     * units back, those to a peer that has something to acknowledge yet wait for that: otherwise
     * each acknowledgement would be answered by a small chunk.
     *
     * @param all whether also those that may still wait for more units
     * @param more whether more units may be pushed at once
     */
    public void flush(boolean all, boolean more) throws IOException {
        long now = nanoTime.getAsLong();
        for (Map.Entry<Integer, UnitChunk> chunk : chunks.entrySet()) {
            if (!chunk.getValue().isEmpty()
                    && (all
                            || chunk.getValue().ageNanos(now) >= flowControl.lingerNanos
                            || !more && hasNothingAhead(chunk.getKey()))) {
                send(chunk.getKey(), chunk.getValue());
            }
        }
    }

    /** Whether units wait in chunks. */
    public boolean hasChunks() {
        return chunks.values().stream().anyMatch(chunk -> !chunk.isEmpty());
    }

    /** Whether units wait in a chunk of whose peer no acknowledgement is due. */
    public boolean hasChunkWithNothingAhead() {
        return chunks.entrySet().stream()
                .anyMatch(chunk -> !chunk.getValue().isEmpty() && hasNothingAhead(chunk.getKey()));
    }

    /** Whether the peer has acknowledged all that was sent to it in the background. */
    public boolean hasNothingAhead(int peer) {
        return messaging.bytesInFlight(peer, Priority.BULK) == 0;
    }

    private void send(int peer, UnitChunk chunk) throws IOException {
        sendRetained(peer, Priority.BULK, PeerMessage.chunk(step, chunk.take()));
    }

    private void sendRetained(int peer, Priority priority, PeerMessage message) throws IOException {
        send(peer, priority, message.withHandover(handovers.handOver(step)));
    }

    /** Sends data of keys that records wait for, ahead of everything in the background. */
    public void sendKeys(int peer, int unit, byte[] keys) {
        window.onDemand(nanoTime.getAsLong());
        send(peer, Priority.URGENT, PeerMessage.keyData(step, unit, keys));
    }

    /** Sends data of a key-group in the background. */
    public void sendData(int peer, int keyGroup, byte[] chunk) {
        send(peer, Priority.BULK, PeerMessage.data(step, keyGroup, chunk));
    }

    /** Says that all data of a key-group has been sent. */
    public void sendDataEnd(int peer, int keyGroup) {
        send(peer, Priority.BULK, PeerMessage.dataEnd(step, keyGroup));
    }

    /**
     * Whether the peer's window lets more go to it in the background. What waits in a chunk counts,
     * unless nothing is in flight: the window may have become smaller than the chunk, and no
     * acknowledgement would come that lets it go.
     */
    public boolean mayPushTo(int peer) {
        UnitChunk chunk = chunks.get(peer);
        long inFlight = messaging.bytesInFlight(peer, Priority.BULK);
        long waiting = chunk == null || inFlight == 0 ? 0 : chunk.bytes();
        return inFlight + waiting < window.bytes(nanoTime.getAsLong());
    }

    public UUID rescale() {
        return rescale;
    }

    /** The last step that has started; -1 if none has. */
    public long step() {
        return step;
    }

    /** Whether {@link #repeat} has to be called. */
    public boolean isWaiting() {
        return messaging.isWaiting();
    }

    /** Sends again what should have been acknowledged by now. */
    public void repeat() {
        messaging.repeat(nanoTime.getAsLong());
        long repeated = messaging.statistics().repeated;
        link.metrics().repeated(repeated - repeatedSoFar);
        repeatedSoFar = repeated;
    }

    /** Acknowledges what has been handled. */
    public void acknowledge() {
        messaging.acknowledge();
        long duplicates = messaging.statistics().duplicates;
        link.metrics().duplicates(duplicates - duplicatesSoFar);
        duplicatesSoFar = duplicates;
    }

    /** Releases what is kept for peers. */
    public void close() {
        chunks.clear();
        messaging.close();
    }

    // ------------------------------------------------------------------------
    //  Receiving
    // ------------------------------------------------------------------------

    /** A message has come. */
    public void onMessage(PeerEnvelope message) throws Exception {
        if (!message.rescale().equals(rescale)) {
            drop(message);
        } else if (message.content().step() > step) {
            early.add(message);
        } else if (!message.sender().equals(attempts.get(message.from()))) {
            drop(message);
        } else if (message.content().kind() != PeerMessage.Kind.ACKNOWLEDGEMENT) {
            messaging.onMessage(
                    message.from(), message.priority(), message.sequence(), message.content());
        } else {
            onAcknowledgement(message);
        }
    }

    private void onAcknowledgement(PeerEnvelope message) {
        try {
            messaging.onAcknowledgement(
                    message.from(), message.content().numbers(), nanoTime.getAsLong());
        } catch (IllegalArgumentException e) {
            LOG.warn("An acknowledgement that makes no sense: {}", message, e);
            link.metrics().malformed();
        }
    }

    private void drop(PeerEnvelope message) {
        LOG.debug("Dropped, as it belongs to another rescale or attempt: {}", message);
        link.metrics().stale();
    }

    /** Takes the messages that came before their step had begun here. */
    public List<PeerEnvelope> takeEarly() {
        List<PeerEnvelope> taken = new ArrayList<>(early);
        early.clear();
        return taken;
    }

    // ------------------------------------------------------------------------
    //  MessagingPort
    // ------------------------------------------------------------------------

    @Override
    public void transmit(int peer, Priority priority, long sequence, PeerMessage message) {
        link.send(rescale, peer, priority, sequence, message);
    }

    @Override
    public void acknowledge(int peer, long[] next) {
        link.send(rescale, peer, Priority.CONTROL, -1, PeerMessage.acknowledgement(next));
    }

    @Override
    public void deliver(int peer, Priority priority, PeerMessage message) throws Exception {
        if (message.isOutdated(step)) {
            // asked for, or told, too late: what it was about has happened without it
            link.metrics().stale();
        } else {
            handler.handle(peer, priority, message);
        }
    }

    @Override
    public void confirmed(int peer, Priority priority, PeerMessage message, long nanos) {
        if (message.hasUnits()) {
            link.metrics().confirmed(nanos);
        }
    }

    @Override
    public void release(int peer, Priority priority, long sequence, PeerMessage message) {
        if (message.hasState()) {
            link.inFlight().remove(message.payload().length);
        }
        link.release(rescale, peer, priority, sequence, message);
    }
}
