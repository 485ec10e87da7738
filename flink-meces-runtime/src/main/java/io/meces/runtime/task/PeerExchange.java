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

import io.meces.runtime.courier.Courier;
import io.meces.runtime.courier.CourierPort;
import io.meces.runtime.courier.Lane;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.migration.Handovers;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionOrigin;
import io.meces.runtime.transition.UnitChunk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An elastic subtask's exchange of messages with its peers in one rescale: fencing, exactly-once
 * delivery by a {@link Courier}, chunks of units, flow control.
 *
 * <p>Owned by the task thread.
 */
final class PeerExchange implements CourierPort<TransitionMessage> {

    private static final Logger LOG = LoggerFactory.getLogger(PeerExchange.class);

    private final Transition transition;
    private final TransitionOrigin origin;
    private final Handovers handovers;
    private final Handler handler;
    private final TransitionMessage.Builder messages;
    private final Courier<TransitionMessage> courier =
            new Courier<>(this, message -> message.payload().length);

    /** All that took part in a step so far; their attempts do not change within a rescale. */
    private final Map<Integer, TaskCommand.Peer> peers = new HashMap<>();

    private final Map<Integer, UnitChunk> chunks = new HashMap<>();

    /** By donor: units that were installed, and of which it does not know yet. */
    private final Map<Integer, List<Integer>> installed = new HashMap<>();

    private final PushWindow window;
    private long repeatedSoFar;
    private long duplicatesSoFar;

    /**
     * @param origin this subtask in this rescale
     * @param handovers tells consumers of each message with units before it is sent
     * @param handler gets the messages of peers, each once and in order within its lane
     */
    PeerExchange(
            Transition transition, TransitionOrigin origin, Handovers handovers, Handler handler) {
        this.transition = transition;
        this.origin = origin;
        this.handovers = handovers;
        this.handler = handler;
        this.messages = new TransitionMessage.Builder(origin);
        this.window =
                new PushWindow(transition.peerWindowBytes(), transition.peerWindowOnDemandBytes());
    }

    /** Handles what peers say. */
    @FunctionalInterface
    interface Handler {
        void handle(int from, TransitionMessage message) throws Exception;
    }

    /** Learns who takes part in a step, and gets ready to reach them. */
    void meet(Map<Integer, TaskCommand.Peer> participants) {
        peers.putAll(participants);
        participants.forEach(
                (subtask, peer) -> {
                    if (subtask != origin.subtask()) {
                        transition.service().prepare(peer.address());
                    }
                });
    }

    // ------------------------------------------------------------------------
    //  Sending
    // ------------------------------------------------------------------------

    TransitionMessage.Builder messages() {
        return messages;
    }

    ExecutionAttemptID attempt(int peer) {
        return peers.get(peer).attempt();
    }

    void send(int peer, Lane lane, TransitionMessage message) {
        courier.send(peer, lane, message, System.nanoTime());
    }

    /** Sends what a record waits for, ahead of everything in the background. */
    void sendOnDemand(int peer, long step, int unit, byte[] state) throws IOException {
        transition.metrics().granted(true);
        window.onDemand(System.nanoTime());
        sendRetained(peer, Lane.URGENT, messages.unit(attempt(peer), step, unit, state));
    }

    /**
     * Sends a unit in the background: together with others, by {@link #flush}, unless it fills a
     * chunk alone. A chunk is no larger than the window; while records wait that means one chunk at
     * a time, so that the background keeps one thread busy at a time and not one at each end.
     */
    void sendInBackground(int peer, long step, int unit, byte[] state) throws IOException {
        transition.metrics().granted(false);
        long full = Math.min(transition.chunkBytes(), window.bytes(System.nanoTime()));
        UnitChunk chunk = chunks.computeIfAbsent(peer, p -> new UnitChunk());
        if (chunk.isEmpty() && state.length >= full) {
            sendRetained(peer, Lane.BULK, messages.unit(attempt(peer), step, unit, state));
            return;
        }
        chunk.add(unit, state, System.nanoTime());
        if (chunk.bytes() >= full) {
            send(peer, step, chunk);
        }
    }

    /** Takes a unit back that has been given to the background and is not sent yet, or null. */
    @Nullable
    byte[] takeBack(int peer, int unit) {
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
    void flush(long step, boolean all, boolean more) throws IOException {
        long now = System.nanoTime();
        for (Map.Entry<Integer, UnitChunk> chunk : chunks.entrySet()) {
            if (!chunk.getValue().isEmpty()
                    && (all
                            || chunk.getValue().ageNanos(now) >= transition.lingerNanos()
                            || !more && hasNothingAhead(chunk.getKey()))) {
                send(chunk.getKey(), step, chunk.getValue());
            }
        }
    }

    /** Whether units wait in chunks. */
    boolean hasChunks() {
        return chunks.values().stream().anyMatch(chunk -> !chunk.isEmpty());
    }

    /** Whether units wait in a chunk of whose peer no acknowledgement is due. */
    boolean hasChunkWithNothingAhead() {
        return chunks.entrySet().stream()
                .anyMatch(chunk -> !chunk.getValue().isEmpty() && hasNothingAhead(chunk.getKey()));
    }

    private boolean hasNothingAhead(int peer) {
        return courier.bytesInFlight(peer, Lane.BULK) == 0;
    }

    private void send(int peer, long step, UnitChunk chunk) throws IOException {
        sendRetained(peer, Lane.BULK, messages.chunk(attempt(peer), step, chunk.take()));
    }

    /** A donor's unit is installed; {@link #sendInstalled} tells it. */
    void installed(int donor, int unit) {
        installed.computeIfAbsent(donor, d -> new ArrayList<>()).add(unit);
    }

    /** Tells donors of all units that have been installed since, in one message each. */
    void sendInstalled(long step) {
        installed.forEach(
                (donor, units) ->
                        send(
                                donor,
                                Lane.CONTROL,
                                messages.installed(
                                        attempt(donor),
                                        step,
                                        units.stream().mapToLong(unit -> unit).toArray())));
        installed.clear();
    }

    private void sendRetained(int peer, Lane lane, TransitionMessage message) throws IOException {
        transition.inFlight().add(message.payload().length);
        send(peer, lane, message.withHandover(handovers.handOver(message.step())));
    }

    /**
     * Whether the peer's window lets more go to it in the background. What waits in a chunk counts,
     * unless nothing is in flight: the window may have become smaller than the chunk, and no
     * acknowledgement would come that lets it go.
     */
    boolean mayPushTo(int peer) {
        UnitChunk chunk = chunks.get(peer);
        long inFlight = courier.bytesInFlight(peer, Lane.BULK);
        long waiting = chunk == null || inFlight == 0 ? 0 : chunk.bytes();
        return inFlight + waiting < window.bytes(System.nanoTime());
    }

    /** Sends again what should have been acknowledged by now. */
    void repeat() {
        courier.repeat(System.nanoTime());
        long repeated = courier.statistics().repeated;
        transition.metrics().repeated(repeated - repeatedSoFar);
        repeatedSoFar = repeated;
    }

    /** Acknowledges what has been handled. */
    void acknowledge() {
        courier.acknowledge();
        long duplicates = courier.statistics().duplicates;
        transition.metrics().dropped(DropReason.DUPLICATE, duplicates - duplicatesSoFar);
        duplicatesSoFar = duplicates;
    }

    /** Releases what is kept for peers. */
    void close() {
        chunks.clear();
        installed.clear();
        courier.close();
    }

    // ------------------------------------------------------------------------
    //  Receiving
    // ------------------------------------------------------------------------

    /** Whether the message belongs to this rescale. */
    boolean concerns(TransitionMessage message) {
        return message.origin().rescale().equals(origin.rescale())
                && message.origin().vertex().equals(origin.vertex())
                && message.origin().job().equals(origin.job());
    }

    /** Takes a message of this rescale, whose step has begun here. */
    void onMessage(TransitionMessage message) throws Exception {
        int from = message.origin().subtask();
        TaskCommand.Peer sender = peers.get(from);
        if (sender == null || !sender.attempt().equals(message.origin().attempt())) {
            drop(DropReason.STALE, message);
        } else if (message.kind() != TransitionMessage.Kind.ACKNOWLEDGEMENT) {
            courier.onParcel(from, message.lane(), message.sequence(), message);
        } else {
            try {
                courier.onAcknowledgement(
                        from, TransitionCodec.decodeLongs(message.payload()), System.nanoTime());
            } catch (IllegalArgumentException e) {
                LOG.warn("An acknowledgement that makes no sense", e);
                drop(DropReason.MALFORMED, message);
            }
        }
    }

    void drop(DropReason reason, TransitionMessage message) {
        transition.metrics().dropped(reason);
        LOG.debug("Dropped ({}): {}", reason, message);
    }

    // ------------------------------------------------------------------------
    //  CourierPort
    // ------------------------------------------------------------------------

    @Override
    public void transmit(int peer, Lane lane, long sequence, TransitionMessage message) {
        transition.service().send(peers.get(peer).address(), message.sequenced(lane, sequence));
    }

    @Override
    public void acknowledge(int peer, long[] next) {
        transition
                .service()
                .send(peers.get(peer).address(), messages.acknowledgement(attempt(peer), next));
    }

    @Override
    public void deliver(int peer, TransitionMessage message) throws Exception {
        handler.handle(peer, message);
    }

    @Override
    public void confirmed(int peer, Lane lane, TransitionMessage message, long nanos) {
        if (isRetained(message)) {
            transition.metrics().confirmed(nanos);
        }
    }

    private static boolean isRetained(TransitionMessage message) {
        return message.kind() == TransitionMessage.Kind.UNIT
                || message.kind() == TransitionMessage.Kind.CHUNK;
    }

    @Override
    public void release(int peer, Lane lane, long sequence, TransitionMessage message) {
        if (isRetained(message)) {
            transition.inFlight().remove(message.payload().length);
        }
        transition.service().release(peers.get(peer).address(), message.sequenced(lane, sequence));
    }
}
