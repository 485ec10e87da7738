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

package io.meces.runtime.courier;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * One subtask's exchange of parcels with its peers in one rescale. Over a transport that may lose,
 * repeat, delay and reorder, each parcel is delivered once, and in order within its {@link Lane}.
 *
 * <p>A parcel is kept until the peer has acknowledged it, which it does after it has handled it (a
 * unit: installed it), and is sent again when that takes too long: at first after {@link
 * #FIRST_PATIENCE_NANOS} or a few round trips, whichever is more, then after twice that, and so on.
 * Acknowledgements are cumulative per lane, so one that is lost is made up for by the next.
 *
 * <p>Not thread-safe: one thread (the task thread) calls everything.
 *
 * @param <M> a parcel
 */
public final class Courier<M> {

    /** How long an acknowledgement is awaited before a parcel is sent again. */
    public static final long FIRST_PATIENCE_NANOS = 200_000_000L;

    /** The longest time between two attempts to send a parcel. */
    public static final long LONGEST_PATIENCE_NANOS = 5_000_000_000L;

    /** A peer that processes a record for long acknowledges late: a few round trips are usual. */
    private static final int PATIENCE_IN_ROUND_TRIPS = 4;

    /** What is sent again at most by one call of {@link #repeat}, so that it stays short. */
    private static final long MAX_BYTES_REPEATED = 1 << 20;

    /** Parcels of a lane that are kept until those before them have come. */
    private static final int MAX_WAITING = 4_096;

    private final CourierPort<M> port;
    private final ToLongFunction<M> bytesOf;
    private final Map<Integer, Peer> peers = new HashMap<>();
    private final CourierStatistics statistics = new CourierStatistics();
    private int unacknowledged;

    /**
     * A courier without peers; they are met as parcels are sent or come.
     *
     * @param bytesOf the size of a parcel, for flow control
     */
    public Courier(CourierPort<M> port, ToLongFunction<M> bytesOf) {
        this.port = port;
        this.bytesOf = bytesOf;
    }

    /** Sends a parcel. */
    public void send(int peer, Lane lane, M parcel, long nowNanos) {
        peer(peer).outgoing.get(lane.ordinal()).send(parcel, nowNanos);
    }

    /**
     * A parcel has come from the transport.
     *
     * @throws Exception that its delivery has thrown
     */
    public void onParcel(int peer, Lane lane, long sequence, M parcel) throws Exception {
        Peer from = peer(peer);
        from.acknowledgementDue = true;
        from.incoming.get(lane.ordinal()).onParcel(sequence, parcel);
    }

    /**
     * An acknowledgement has come from the transport; one that is outdated does no harm.
     *
     * @param next per lane, by ordinal: the sequence number that the peer expects next
     * @throws IllegalArgumentException if it has another number of lanes, or what was never sent is
     *     acknowledged
     */
    public void onAcknowledgement(int peer, long[] next, long nowNanos) {
        if (next.length != Lane.COUNT) {
            throw new IllegalArgumentException(next.length + " lanes were acknowledged");
        }
        Peer from = peer(peer);
        for (int i = 0; i < next.length; i++) {
            if (next[i] > from.outgoing.get(i).nextSequence) {
                throw new IllegalArgumentException(
                        "acknowledged up to " + next[i] + ", which was never sent");
            }
        }
        for (int i = 0; i < next.length; i++) {
            from.outgoing.get(i).onAcknowledgement(next[i], nowNanos);
        }
    }

    /** Acknowledges what has come since the last call. To be called when it has been handled. */
    public void acknowledge() {
        peers.forEach(
                (index, peer) -> {
                    if (peer.acknowledgementDue) {
                        peer.acknowledgementDue = false;
                        long[] next = new long[Lane.COUNT];
                        for (int i = 0; i < next.length; i++) {
                            next[i] = peer.incoming.get(i).nextSequence;
                        }
                        port.acknowledge(index, next);
                    }
                });
    }

    /** Sends again what should have been acknowledged by now. To be called from time to time. */
    public void repeat(long nowNanos) {
        long budget = MAX_BYTES_REPEATED;
        for (Peer peer : peers.values()) {
            for (Outgoing lane : peer.outgoing) {
                budget = lane.repeat(nowNanos, budget);
            }
        }
    }

    /** Whether anything is not acknowledged yet, so that {@link #repeat} has to be called. */
    public boolean isWaiting() {
        return unacknowledged > 0;
    }

    /** Bytes that were sent to a peer in the lane and are not acknowledged yet. */
    public long bytesInFlight(int peer, Lane lane) {
        Peer to = peers.get(peer);
        return to == null ? 0 : to.outgoing.get(lane.ordinal()).bytes;
    }

    /** The indexes of all peers that were sent anything or that sent anything. */
    public Collection<Integer> peers() {
        return peers.keySet();
    }

    public CourierStatistics statistics() {
        return statistics;
    }

    /** Forgets and releases everything: the rescale is over, or has failed. */
    public void close() {
        for (Peer peer : peers.values()) {
            for (Outgoing lane : peer.outgoing) {
                lane.close();
            }
        }
        peers.clear();
    }

    private Peer peer(int index) {
        return peers.computeIfAbsent(index, Peer::new);
    }

    /** What is exchanged with one peer. */
    private final class Peer {
        private final List<Outgoing> outgoing = new ArrayList<>(Lane.COUNT);
        private final List<Incoming> incoming = new ArrayList<>(Lane.COUNT);
        private boolean acknowledgementDue;

        /** Smoothed time from sending to acknowledgement; 0 until it is known. */
        private long roundTripNanos;

        private Peer(int index) {
            for (Lane lane : Lane.values()) {
                outgoing.add(new Outgoing(this, index, lane));
                incoming.add(new Incoming(index));
            }
        }

        private void onRoundTrip(long nanos) {
            roundTripNanos = roundTripNanos == 0 ? nanos : (7 * roundTripNanos + nanos) / 8;
        }

        private long patience(int attempts) {
            long first = Math.max(FIRST_PATIENCE_NANOS, PATIENCE_IN_ROUND_TRIPS * roundTripNanos);
            return Math.min(LONGEST_PATIENCE_NANOS, first << Math.min(attempts - 1, 10));
        }
    }

    /** One lane to one peer. */
    private final class Outgoing {
        private final Peer peer;
        private final int index;
        private final Lane lane;
        private final ArrayDeque<Sent<M>> unacknowledgedParcels = new ArrayDeque<>();
        private long nextSequence;
        private long bytes;

        private Outgoing(Peer peer, int index, Lane lane) {
            this.peer = peer;
            this.index = index;
            this.lane = lane;
        }

        private void send(M parcel, long nowNanos) {
            Sent<M> sent =
                    new Sent<>(nextSequence++, parcel, bytesOf.applyAsLong(parcel), nowNanos);
            unacknowledgedParcels.add(sent);
            unacknowledged++;
            bytes += sent.bytes;
            statistics.sent++;
            port.transmit(index, lane, sent.sequence, parcel);
        }

        private void onAcknowledgement(long next, long nowNanos) {
            boolean repeated = anyRepeated(next);
            while (!unacknowledgedParcels.isEmpty()
                    && unacknowledgedParcels.peek().sequence < next) {
                Sent<M> sent = unacknowledgedParcels.poll();
                if (!repeated) {
                    peer.onRoundTrip(nowNanos - sent.lastSentNanos);
                }
                port.confirmed(index, lane, sent.parcel, nowNanos - sent.firstSentNanos);
                forget(sent);
            }
        }

        /**
         * Whether an acknowledgement tells no round trip (Karn's rule): of a parcel that was
         * repeated nobody knows which one came, and those behind it may have waited for it.
         */
        private boolean anyRepeated(long next) {
            for (Sent<M> sent : unacknowledgedParcels) {
                if (sent.sequence >= next) {
                    return false;
                }
                if (sent.attempts > 1) {
                    return true;
                }
            }
            return false;
        }

        private long repeat(long nowNanos, long budget) {
            long left = budget;
            for (Sent<M> sent : unacknowledgedParcels) {
                if (left <= 0) {
                    break;
                }
                if (nowNanos - sent.lastSentNanos >= peer.patience(sent.attempts)) {
                    sent.attempts++;
                    sent.lastSentNanos = nowNanos;
                    left -= Math.max(1, sent.bytes);
                    statistics.repeated++;
                    port.transmit(index, lane, sent.sequence, sent.parcel);
                }
            }
            return left;
        }

        private void close() {
            unacknowledgedParcels.forEach(this::forget);
            unacknowledgedParcels.clear();
        }

        private void forget(Sent<M> sent) {
            unacknowledged--;
            bytes -= sent.bytes;
            port.release(index, lane, sent.sequence, sent.parcel);
        }
    }

    /** One lane from one peer. */
    private final class Incoming {
        private final int index;
        private final TreeMap<Long, M> waiting = new TreeMap<>();
        private long nextSequence;

        private Incoming(int index) {
            this.index = index;
        }

        private void onParcel(long sequence, M parcel) throws Exception {
            if (sequence < nextSequence) {
                statistics.duplicates++;
            } else if (sequence > nextSequence) {
                if (waiting.containsKey(sequence)) {
                    statistics.duplicates++;
                } else if (waiting.size() < MAX_WAITING) {
                    waiting.put(sequence, parcel);
                } else {
                    statistics.tooEarly++;
                }
            } else {
                port.deliver(index, parcel);
                nextSequence++;
                deliverWaiting();
            }
        }

        private void deliverWaiting() throws Exception {
            for (Iterator<Map.Entry<Long, M>> next = waiting.entrySet().iterator();
                    next.hasNext(); ) {
                Map.Entry<Long, M> entry = next.next();
                if (entry.getKey() != nextSequence) {
                    return;
                }
                next.remove();
                port.deliver(index, entry.getValue());
                nextSequence++;
            }
        }
    }

    /** A parcel that is not acknowledged yet. */
    private static final class Sent<M> {
        private final long sequence;
        private final M parcel;
        private final long bytes;
        private final long firstSentNanos;
        private long lastSentNanos;
        private int attempts = 1;

        private Sent(long sequence, M parcel, long bytes, long nowNanos) {
            this.sequence = sequence;
            this.parcel = parcel;
            this.bytes = bytes;
            this.firstSentNanos = nowNanos;
            this.lastSentNanos = nowNanos;
        }
    }
}
