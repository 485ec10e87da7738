// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/**
 * A link of 10 Mbit/s, over which as many bytes as may be in flight take longer than the patience
 * that a message is given at first. In simulated time.
 */
class SlowLinkTest {

    private static final int MESSAGES = 256;
    private static final int BYTES = 32 * 1024;
    private static final int IN_FLIGHT = 1 << 20;
    private static final long NANOS_PER_BYTE = 800;
    private static final long TICK_NANOS = 50_000_000;

    private final ArrayDeque<Long> arrivals = new ArrayDeque<>();
    private final ArrayDeque<Arrival> onTheWay = new ArrayDeque<>();
    private final ReliableMessaging<Integer> sender =
            new ReliableMessaging<>(new Sender(), message -> BYTES);
    private final ReliableMessaging<Integer> receiver =
            new ReliableMessaging<>(new Receiver(), message -> BYTES);
    private long now;
    private long freeAt;
    private int sent;
    private int delivered;

    /** If it did, it would be sent four times as much, and take four times as long. */
    @Test
    void isNotMadeSlowerByRepeats() throws Exception {
        for (long tick = TICK_NANOS; delivered < MESSAGES; tick += TICK_NANOS) {
            sendWhatMayBeInFlight();
            while (!arrivals.isEmpty() && arrivals.peek() <= tick) {
                now = arrivals.poll();
                onTheWay.poll().run();
                receiver.acknowledge();
                sendWhatMayBeInFlight();
            }
            now = tick;
            sender.repeat(now);
        }

        assertThat(IN_FLIGHT * NANOS_PER_BYTE)
                .isGreaterThan(4 * ReliableMessaging.FIRST_PATIENCE_NANOS);
        assertThat(sender.statistics().repeated).isZero();
        assertThat(freeAt).isEqualTo(MESSAGES * BYTES * NANOS_PER_BYTE);
    }

    private void sendWhatMayBeInFlight() {
        while (sent < MESSAGES && sender.bytesInFlight(1, Priority.BULK) < IN_FLIGHT) {
            sender.send(1, Priority.BULK, sent++, now);
        }
    }

    private interface Arrival {
        void run() throws Exception;
    }

    private final class Sender implements MessagingPort<Integer> {

        @Override
        public void transmit(int peer, Priority priority, long sequence, Integer message) {
            freeAt = Math.max(freeAt, now) + BYTES * NANOS_PER_BYTE;
            arrivals.add(freeAt);
            onTheWay.add(() -> receiver.onMessage(0, priority, sequence, message));
        }

        @Override
        public void acknowledge(int peer, long[] next) {
            throw new AssertionError("nothing has come");
        }

        @Override
        public void deliver(int peer, Priority priority, Integer message) {
            throw new AssertionError("nothing has come");
        }

        @Override
        public void release(int peer, Priority priority, long sequence, Integer message) {
            // it keeps nothing
        }
    }

    private final class Receiver implements MessagingPort<Integer> {

        @Override
        public void transmit(int peer, Priority priority, long sequence, Integer message) {
            throw new AssertionError("it has nothing to send");
        }

        /** The way back is quick. */
        @Override
        public void acknowledge(int peer, long[] next) {
            sender.onAcknowledgement(1, next, now);
        }

        @Override
        public void deliver(int peer, Priority priority, Integer message) {
            delivered++;
        }

        @Override
        public void release(int peer, Priority priority, long sequence, Integer message) {
            // it has sent nothing
        }
    }
}
