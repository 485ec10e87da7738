// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * One subtask's exchange of messages with its peers in one rescale. Over a transport that may lose,
 * repeat, delay and reorder, each message is delivered once, and in order within its {@link
 * Priority}.
 *
 * <p>A message is kept until the peer has acknowledged it, which it does after it has handled it (a
 * unit: installed it), and is sent again when that takes too long: at first after {@link
 * #FIRST_PATIENCE_NANOS} or a few round trips, whichever is more, then after twice that, and so on.
 * Acknowledgements are cumulative per priority, so one that is lost is made up for by the next.
 *
 * <p>Not thread-safe: one thread (the task thread) calls everything.
 *
 * @param <M> a message
 */
public final class ReliableMessaging<M> {

    /** How long an acknowledgement is awaited before a message is sent again. */
    public static final long FIRST_PATIENCE_NANOS = 200_000_000L;

    /** The longest time between two attempts to send a message. */
    public static final long LONGEST_PATIENCE_NANOS = 5_000_000_000L;

    /** A peer that processes a record for long acknowledges late: a few round trips are usual. */
    private static final int PATIENCE_IN_ROUND_TRIPS = 4;

    /** What is sent again at most by one call of {@link #repeat}, so that it stays short. */
    private static final long MAX_BYTES_REPEATED = 1 << 20;

    /** Messages of a priority that are kept until those before them have come. */
    private static final int MAX_WAITING = 4_096;

    private final MessagingPort<M> port;
    private final ToLongFunction<M> bytesOf;
    private final Map<Integer, Peer> peers = new HashMap<>();
    private final MessagingStatistics statistics = new MessagingStatistics();
    private int unacknowledged;

    /**
     * Reliable messaging without peers; they are met as messages are sent or come.
     *
     * @param bytesOf the size of a message, for flow control
     */
    public ReliableMessaging(MessagingPort<M> port, ToLongFunction<M> bytesOf) {
        this.port = port;
        this.bytesOf = bytesOf;
    }

    /** Sends a message. */
    public void send(int peer, Priority priority, M message, long nowNanos) {
        peer(peer).outgoing.get(priority.ordinal()).send(message, nowNanos);
    }

    /**
     * A message has come from the transport.
     *
     * @throws Exception that its delivery has thrown
     */
    public void onMessage(int peer, Priority priority, long sequence, M message) throws Exception {
        Peer from = peer(peer);
        from.acknowledgementDue = true;
        from.incoming.get(priority.ordinal()).onMessage(sequence, message);
    }

    /**
     * An acknowledgement has come from the transport; one that is outdated does no harm.
     *
     * @param next per priority, by ordinal: the sequence number that the peer expects next
     * @throws IllegalArgumentException if it has another number of priorities, or what was never
     *     sent is acknowledged
     */
    public void onAcknowledgement(int peer, long[] next, long nowNanos) {
        if (next.length != Priority.COUNT) {
            throw new IllegalArgumentException(next.length + " priorities were acknowledged");
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
                        long[] next = new long[Priority.COUNT];
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
            for (Outgoing priority : peer.outgoing) {
                budget = priority.repeat(nowNanos, budget);
            }
        }
    }

    /** Whether anything is not acknowledged yet, so that {@link #repeat} has to be called. */
    public boolean isWaiting() {
        return unacknowledged > 0;
    }

    /** Bytes that were sent to a peer in the priority and are not acknowledged yet. */
    public long bytesInFlight(int peer, Priority priority) {
        Peer to = peers.get(peer);
        return to == null ? 0 : to.outgoing.get(priority.ordinal()).bytes;
    }

    public MessagingStatistics statistics() {
        return statistics;
    }

    /** Forgets and releases everything: the rescale is over, or has failed. */
    public void close() {
        for (Peer peer : peers.values()) {
            for (Outgoing priority : peer.outgoing) {
                priority.close();
            }
        }
        peers.clear();
    }

    private Peer peer(int index) {
        return peers.computeIfAbsent(index, Peer::new);
    }

    /** What is exchanged with one peer. */
    private final class Peer {
        final List<Outgoing> outgoing = new ArrayList<>(Priority.COUNT);
        final List<Incoming> incoming = new ArrayList<>(Priority.COUNT);
        boolean acknowledgementDue;

        /** Smoothed time from sending to acknowledgement; 0 until it is known. */
        private long roundTripNanos;

        Peer(int index) {
            for (Priority priority : Priority.values()) {
                outgoing.add(new Outgoing(this, index, priority));
                incoming.add(new Incoming(index, priority));
            }
        }

        void onRoundTrip(long nanos) {
            roundTripNanos = roundTripNanos == 0 ? nanos : (7 * roundTripNanos + nanos) / 8;
        }

        long patience(int attempts) {
            long first = Math.max(FIRST_PATIENCE_NANOS, PATIENCE_IN_ROUND_TRIPS * roundTripNanos);
            return Math.min(LONGEST_PATIENCE_NANOS, first << Math.min(attempts - 1, 10));
        }
    }

    /** One priority to one peer. */
    private final class Outgoing {
        private final Peer peer;
        private final int index;
        private final Priority priority;
        private final ArrayDeque<Sent<M>> unacknowledgedMessages = new ArrayDeque<>();
        long nextSequence;
        long bytes;

        Outgoing(Peer peer, int index, Priority priority) {
            this.peer = peer;
            this.index = index;
            this.priority = priority;
        }

        void send(M message, long nowNanos) {
            Sent<M> sent =
                    new Sent<>(nextSequence++, message, bytesOf.applyAsLong(message), nowNanos);
            unacknowledgedMessages.add(sent);
            unacknowledged++;
            bytes += sent.bytes;
            statistics.sent++;
            port.transmit(index, priority, sent.sequence, message);
        }

        void onAcknowledgement(long next, long nowNanos) {
            boolean repeated = anyRepeated(next);
            while (!unacknowledgedMessages.isEmpty()
                    && unacknowledgedMessages.peek().sequence < next) {
                Sent<M> sent = unacknowledgedMessages.poll();
                if (!repeated) {
                    peer.onRoundTrip(nowNanos - sent.lastSentNanos);
                }
                port.confirmed(index, priority, sent.message, nowNanos - sent.firstSentNanos);
                forget(sent);
            }
        }

        /**
         * Whether an acknowledgement tells no round trip (Karn's rule): of a message that was
         * repeated nobody knows which one came, and those behind it may have waited for it.
         */
        private boolean anyRepeated(long next) {
            for (Sent<M> sent : unacknowledgedMessages) {
                if (sent.sequence >= next) {
                    return false;
                }
                if (sent.attempts > 1) {
                    return true;
                }
            }
            return false;
        }

        long repeat(long nowNanos, long budget) {
            long left = budget;
            for (Sent<M> sent : unacknowledgedMessages) {
                if (left <= 0) {
                    break;
                }
                if (nowNanos - sent.lastSentNanos >= peer.patience(sent.attempts)) {
                    sent.attempts++;
                    sent.lastSentNanos = nowNanos;
                    left -= Math.max(1, sent.bytes);
                    statistics.repeated++;
                    port.transmit(index, priority, sent.sequence, sent.message);
                }
            }
            return left;
        }

        void close() {
            unacknowledgedMessages.forEach(this::forget);
            unacknowledgedMessages.clear();
        }

        private void forget(Sent<M> sent) {
            unacknowledged--;
            bytes -= sent.bytes;
            port.release(index, priority, sent.sequence, sent.message);
        }
    }

    /** One priority from one peer. */
    private final class Incoming {
        private final int index;
        private final Priority priority;
        private final TreeMap<Long, M> waiting = new TreeMap<>();
        long nextSequence;

        Incoming(int index, Priority priority) {
            this.index = index;
            this.priority = priority;
        }

        void onMessage(long sequence, M message) throws Exception {
            if (sequence < nextSequence) {
                statistics.duplicates++;
            } else if (sequence > nextSequence) {
                if (waiting.containsKey(sequence)) {
                    statistics.duplicates++;
                } else if (waiting.size() < MAX_WAITING) {
                    waiting.put(sequence, message);
                } else {
                    statistics.tooEarly++;
                }
            } else {
                port.deliver(index, priority, message);
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
                port.deliver(index, priority, entry.getValue());
                nextSequence++;
            }
        }
    }

    /** A message that is not acknowledged yet. */
    private static final class Sent<M> {
        final long sequence;
        final M message;
        final long bytes;
        final long firstSentNanos;
        long lastSentNanos;
        int attempts = 1;

        Sent(long sequence, M message, long bytes, long nowNanos) {
            this.sequence = sequence;
            this.message = message;
            this.bytes = bytes;
            this.firstSentNanos = nowNanos;
            this.lastSentNanos = nowNanos;
        }
    }
}
