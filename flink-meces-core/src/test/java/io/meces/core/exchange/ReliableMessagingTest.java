// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReliableMessagingTest {

    private static final int SEEDS = Integer.getInteger("meces.messaging.seeds", 200);
    private static final long MS = 1_000_000L;

    @ParameterizedTest
    @CsvSource({"0,0,0", "20,20,20", "50,0,0", "0,50,0", "0,0,100", "60,30,50"})
    void eachMessageIsDeliveredOnceAndInOrderWhateverTheNetworkDoes(
            int lostPercent, int repeatedPercent, int latePercent) throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                new World(seed, lostPercent, repeatedPercent, latePercent).run();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void aMessageIsKeptUntilItIsAcknowledgedAndThenReleasedAtOnce() {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        messaging.send(7, Priority.BULK, "four", 0);
        messaging.send(7, Priority.BULK, "seven..", 0);
        assertThat(messaging.bytesInFlight(7, Priority.BULK)).isEqualTo(11);
        messaging.onAcknowledgement(7, new long[] {0, 0, 1}, MS);
        assertThat(port.released).containsExactly("four");
        assertThat(messaging.bytesInFlight(7, Priority.BULK)).isEqualTo(7);
        assertThat(messaging.isWaiting()).isTrue();
        messaging.onAcknowledgement(7, new long[] {0, 0, 2}, 3 * MS);
        assertThat(port.confirmedNanos).containsExactly(MS, 3 * MS);
        assertThat(messaging.isWaiting()).isFalse();
    }

    @Test
    void whatIsNotAcknowledgedIsSentAgainLessAndLessOften() {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        messaging.send(1, Priority.CONTROL, "a", 0);
        List<Long> repeats = new ArrayList<>();
        for (long now = 0; now < 30_000 * MS; now += 10 * MS) {
            int before = port.transmitted.size();
            messaging.repeat(now);
            if (port.transmitted.size() > before) {
                repeats.add(now / MS);
            }
        }
        assertThat(repeats)
                .containsExactly(
                        200L, 600L, 1_400L, 3_000L, 6_200L, 11_200L, 16_200L, 21_200L, 26_200L);
    }

    @Test
    void aPeerThatAcknowledgesSlowlyIsGivenMoreTime() {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        messaging.send(1, Priority.CONTROL, "slow", 0);
        messaging.onAcknowledgement(1, new long[] {1, 0, 0}, 150 * MS);
        messaging.send(1, Priority.CONTROL, "next", 0);
        messaging.repeat(500 * MS);
        assertThat(port.transmitted).containsExactly("slow", "next");
        messaging.repeat(600 * MS);
        assertThat(port.transmitted).containsExactly("slow", "next", "next");
    }

    @Test
    void whatWaitedBehindALostMessageIsNoMeasureOfTheRoundTrip() {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        messaging.send(1, Priority.CONTROL, "lost", 0);
        messaging.send(1, Priority.CONTROL, "behind", 150 * MS);
        messaging.repeat(200 * MS);
        assertThat(port.transmitted).containsExactly("lost", "behind", "lost");
        messaging.onAcknowledgement(1, new long[] {2, 0, 0}, 340 * MS);
        // the first patience, not four times 190 ms
        messaging.send(1, Priority.CONTROL, "next", 1_000 * MS);
        messaging.repeat(1_200 * MS);
        assertThat(port.transmitted).containsExactly("lost", "behind", "lost", "next", "next");
    }

    @Test
    void anAcknowledgementOfWhatWasNeverSentIsRefusedAndChangesNothing() {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        messaging.send(1, Priority.CONTROL, "a", 0);
        assertThatThrownBy(() -> messaging.onAcknowledgement(1, new long[] {1, 1, 0}, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> messaging.onAcknowledgement(1, new long[] {1}, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(port.released).isEmpty();
    }

    @Test
    void closingReleasesEverything() {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        messaging.send(1, Priority.CONTROL, "a", 0);
        messaging.send(2, Priority.BULK, "b", 0);
        messaging.close();
        assertThat(port.released).containsExactlyInAnyOrder("a", "b");
        assertThat(port.confirmedNanos).isEmpty();
        assertThat(messaging.isWaiting()).isFalse();
    }

    @Test
    void messagesThatAreFarTooEarlyAreDroppedInsteadOfFillingTheMemory() throws Exception {
        Recorder port = new Recorder();
        ReliableMessaging<String> messaging = new ReliableMessaging<>(port, String::length);
        for (long sequence = 1; sequence < 10_000; sequence++) {
            messaging.onMessage(1, Priority.BULK, sequence, "x");
        }
        assertThat(messaging.statistics().tooEarly).isGreaterThan(5_000);
        assertThat(port.delivered).isEmpty();
    }

    /** Writes down what reliable messaging does. */
    private static final class Recorder implements MessagingPort<String> {
        private final List<String> transmitted = new ArrayList<>();
        private final List<String> released = new ArrayList<>();
        private final List<Long> confirmedNanos = new ArrayList<>();
        private final List<String> delivered = new ArrayList<>();

        @Override
        public void transmit(int peer, Priority priority, long sequence, String message) {
            transmitted.add(message);
        }

        @Override
        public void acknowledge(int peer, long[] next) {}

        @Override
        public void deliver(int peer, Priority priority, String message) {
            delivered.add(message);
        }

        @Override
        public void confirmed(int peer, Priority priority, String message, long nanos) {
            confirmedNanos.add(nanos);
        }

        @Override
        public void release(int peer, Priority priority, long sequence, String message) {
            released.add(message);
        }
    }

    /** Three reliable messaging and a network that loses, repeats and delays, in simulated time. */
    private static final class World {
        private static final int ENDS = 3;
        private static final int MESSAGES = 60;

        private final Random random;
        private final int lostPercent;
        private final int repeatedPercent;
        private final int latePercent;
        private final PriorityQueue<Event> events = new PriorityQueue<>();
        private final List<ReliableMessaging<Integer>> messaging = new ArrayList<>();
        private final List<Map<Priority, List<List<Integer>>>> delivered = new ArrayList<>();
        private final int[] released = new int[ENDS];
        private final int[] confirmed = new int[ENDS];
        private long now;
        private long order;

        World(long seed, int lostPercent, int repeatedPercent, int latePercent) {
            this.random = new Random(seed * 31 + lostPercent);
            this.lostPercent = lostPercent;
            this.repeatedPercent = repeatedPercent;
            this.latePercent = latePercent;
            for (int i = 0; i < ENDS; i++) {
                messaging.add(new ReliableMessaging<>(new Port(i), message -> 1L));
                Map<Priority, List<List<Integer>>> byPriority = new EnumMap<>(Priority.class);
                for (Priority priority : Priority.values()) {
                    List<List<Integer>> bySender = new ArrayList<>();
                    for (int k = 0; k < ENDS; k++) {
                        bySender.add(new ArrayList<>());
                    }
                    byPriority.put(priority, bySender);
                }
                delivered.add(byPriority);
            }
        }

        void run() throws Exception {
            for (int from = 0; from < ENDS; from++) {
                for (int to = 0; to < ENDS; to++) {
                    for (Priority priority : Priority.values()) {
                        for (int i = 0; i < MESSAGES; i++) {
                            int sender = from;
                            int receiver = to;
                            int message = i;
                            // in the order of the messages: all at the same pace
                            at(
                                    i * 3L * MS,
                                    () ->
                                            messaging
                                                    .get(sender)
                                                    .send(
                                                            receiver,
                                                            priority,
                                                            priority.ordinal() * 1_000 + message,
                                                            now));
                        }
                    }
                }
            }
            int steps = 0;
            while (!isDone()) {
                assertThat(steps++).as("steps").isLessThan(1_000_000);
                if (events.isEmpty() || random.nextInt(20) == 0) {
                    now += 10 * MS;
                    for (ReliableMessaging<Integer> messaging : messaging) {
                        messaging.acknowledge();
                        messaging.repeat(now);
                    }
                } else {
                    Event event = events.poll();
                    now = Math.max(now, event.time);
                    event.action.run();
                }
            }
            for (int to = 0; to < ENDS; to++) {
                for (Priority priority : Priority.values()) {
                    List<Integer> expected = new ArrayList<>();
                    for (int i = 0; i < MESSAGES; i++) {
                        expected.add(priority.ordinal() * 1_000 + i);
                    }
                    for (int from = 0; from < ENDS; from++) {
                        assertThat(delivered.get(to).get(priority).get(from)).isEqualTo(expected);
                    }
                }
            }
            for (int i = 0; i < ENDS; i++) {
                assertThat(released[i]).isEqualTo(ENDS * Priority.COUNT * MESSAGES);
                assertThat(confirmed[i]).isEqualTo(released[i]);
            }
        }

        private boolean isDone() {
            return events.isEmpty() && messaging.stream().noneMatch(ReliableMessaging::isWaiting);
        }

        private void at(long time, Action action) {
            events.add(new Event(time, order++, action));
        }

        /** Carries something to somebody, as badly as it may. */
        private void carry(Action action) {
            if (random.nextInt(100) < lostPercent) {
                return;
            }
            long delay = random.nextInt(100) < latePercent ? random.nextInt(900) : 1;
            at(now + delay * MS, action);
            if (random.nextInt(100) < repeatedPercent) {
                at(now + random.nextInt(2_000) * MS, action);
            }
        }

        private final class Port implements MessagingPort<Integer> {
            private final int me;

            private Port(int me) {
                this.me = me;
            }

            @Override
            public void transmit(int peer, Priority priority, long sequence, Integer message) {
                carry(() -> messaging.get(peer).onMessage(me, priority, sequence, message));
            }

            @Override
            public void acknowledge(int peer, long[] next) {
                carry(() -> messaging.get(peer).onAcknowledgement(me, next, now));
            }

            @Override
            public void deliver(int peer, Priority priority, Integer message) {
                delivered.get(me).get(Priority.of(message / 1_000)).get(peer).add(message);
            }

            @Override
            public void confirmed(int peer, Priority priority, Integer message, long nanos) {
                confirmed[me]++;
            }

            @Override
            public void release(int peer, Priority priority, long sequence, Integer message) {
                released[me]++;
            }
        }

        private interface Action {
            void run() throws Exception;
        }

        private static final class Event implements Comparable<Event> {
            private final long time;
            private final long order;
            private final Action action;

            private Event(long time, long order, Action action) {
                this.time = time;
                this.order = order;
                this.action = action;
            }

            @Override
            public int compareTo(Event other) {
                int byTime = Long.compare(time, other.time);
                return byTime != 0 ? byTime : Long.compare(order, other.order);
            }
        }
    }
}
