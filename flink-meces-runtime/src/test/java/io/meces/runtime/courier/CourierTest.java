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

class CourierTest {

    private static final int SEEDS = Integer.getInteger("meces.courier.seeds", 200);
    private static final long MS = 1_000_000L;

    @ParameterizedTest
    @CsvSource({"0,0,0", "20,20,20", "50,0,0", "0,50,0", "0,0,100", "60,30,50"})
    void eachParcelIsDeliveredOnceAndInOrderWhateverTheNetworkDoes(
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
    void aParcelIsKeptUntilItIsAcknowledgedAndThenReleasedAtOnce() {
        Recorder port = new Recorder();
        Courier<String> courier = new Courier<>(port, String::length);
        courier.send(7, Lane.BULK, "four", 0);
        courier.send(7, Lane.BULK, "seven..", 0);
        assertThat(courier.bytesInFlight(7, Lane.BULK)).isEqualTo(11);
        courier.onAcknowledgement(7, new long[] {0, 0, 1}, MS);
        assertThat(port.released).containsExactly("four");
        assertThat(courier.bytesInFlight(7, Lane.BULK)).isEqualTo(7);
        assertThat(courier.isWaiting()).isTrue();
        courier.onAcknowledgement(7, new long[] {0, 0, 2}, 3 * MS);
        assertThat(port.confirmedNanos).containsExactly(MS, 3 * MS);
        assertThat(courier.isWaiting()).isFalse();
    }

    @Test
    void whatIsNotAcknowledgedIsSentAgainLessAndLessOften() {
        Recorder port = new Recorder();
        Courier<String> courier = new Courier<>(port, String::length);
        courier.send(1, Lane.CONTROL, "a", 0);
        List<Long> repeats = new ArrayList<>();
        for (long now = 0; now < 30_000 * MS; now += 10 * MS) {
            int before = port.transmitted.size();
            courier.repeat(now);
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
        Courier<String> courier = new Courier<>(port, String::length);
        courier.send(1, Lane.CONTROL, "slow", 0);
        courier.onAcknowledgement(1, new long[] {1, 0, 0}, 150 * MS);
        courier.send(1, Lane.CONTROL, "next", 0);
        courier.repeat(500 * MS);
        assertThat(port.transmitted).containsExactly("slow", "next");
        courier.repeat(600 * MS);
        assertThat(port.transmitted).containsExactly("slow", "next", "next");
    }

    @Test
    void whatWaitedBehindALostParcelIsNoMeasureOfTheRoundTrip() {
        Recorder port = new Recorder();
        Courier<String> courier = new Courier<>(port, String::length);
        courier.send(1, Lane.CONTROL, "lost", 0);
        courier.send(1, Lane.CONTROL, "behind", 150 * MS);
        courier.repeat(200 * MS);
        assertThat(port.transmitted).containsExactly("lost", "behind", "lost");
        courier.onAcknowledgement(1, new long[] {2, 0, 0}, 340 * MS);
        // the first patience, not four times 190 ms
        courier.send(1, Lane.CONTROL, "next", 1_000 * MS);
        courier.repeat(1_200 * MS);
        assertThat(port.transmitted).containsExactly("lost", "behind", "lost", "next", "next");
    }

    @Test
    void anAcknowledgementOfWhatWasNeverSentIsRefusedAndChangesNothing() {
        Recorder port = new Recorder();
        Courier<String> courier = new Courier<>(port, String::length);
        courier.send(1, Lane.CONTROL, "a", 0);
        assertThatThrownBy(() -> courier.onAcknowledgement(1, new long[] {1, 1, 0}, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> courier.onAcknowledgement(1, new long[] {1}, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(port.released).isEmpty();
    }

    @Test
    void closingReleasesEverything() {
        Recorder port = new Recorder();
        Courier<String> courier = new Courier<>(port, String::length);
        courier.send(1, Lane.CONTROL, "a", 0);
        courier.send(2, Lane.BULK, "b", 0);
        courier.close();
        assertThat(port.released).containsExactlyInAnyOrder("a", "b");
        assertThat(port.confirmedNanos).isEmpty();
        assertThat(courier.isWaiting()).isFalse();
    }

    @Test
    void parcelsThatAreFarTooEarlyAreDroppedInsteadOfFillingTheMemory() throws Exception {
        Recorder port = new Recorder();
        Courier<String> courier = new Courier<>(port, String::length);
        for (long sequence = 1; sequence < 10_000; sequence++) {
            courier.onParcel(1, Lane.BULK, sequence, "x");
        }
        assertThat(courier.statistics().tooEarly).isGreaterThan(5_000);
        assertThat(port.delivered).isEmpty();
    }

    /** Writes down what a courier does. */
    private static final class Recorder implements CourierPort<String> {
        private final List<String> transmitted = new ArrayList<>();
        private final List<String> released = new ArrayList<>();
        private final List<Long> confirmedNanos = new ArrayList<>();
        private final List<String> delivered = new ArrayList<>();

        @Override
        public void transmit(int peer, Lane lane, long sequence, String parcel) {
            transmitted.add(parcel);
        }

        @Override
        public void acknowledge(int peer, long[] next) {}

        @Override
        public void deliver(int peer, String parcel) {
            delivered.add(parcel);
        }

        @Override
        public void confirmed(int peer, Lane lane, String parcel, long nanos) {
            confirmedNanos.add(nanos);
        }

        @Override
        public void release(int peer, Lane lane, long sequence, String parcel) {
            released.add(parcel);
        }
    }

    /** Three couriers and a network that loses, repeats and delays, in simulated time. */
    private static final class World {
        private static final int COURIERS = 3;
        private static final int PARCELS = 60;

        private final Random random;
        private final int lostPercent;
        private final int repeatedPercent;
        private final int latePercent;
        private final PriorityQueue<Event> events = new PriorityQueue<>();
        private final List<Courier<Integer>> couriers = new ArrayList<>();
        private final List<Map<Lane, List<List<Integer>>>> delivered = new ArrayList<>();
        private final int[] released = new int[COURIERS];
        private final int[] confirmed = new int[COURIERS];
        private long now;
        private long order;

        World(long seed, int lostPercent, int repeatedPercent, int latePercent) {
            this.random = new Random(seed * 31 + lostPercent);
            this.lostPercent = lostPercent;
            this.repeatedPercent = repeatedPercent;
            this.latePercent = latePercent;
            for (int i = 0; i < COURIERS; i++) {
                couriers.add(new Courier<>(new Port(i), parcel -> 1L));
                Map<Lane, List<List<Integer>>> byLane = new EnumMap<>(Lane.class);
                for (Lane lane : Lane.values()) {
                    List<List<Integer>> bySender = new ArrayList<>();
                    for (int k = 0; k < COURIERS; k++) {
                        bySender.add(new ArrayList<>());
                    }
                    byLane.put(lane, bySender);
                }
                delivered.add(byLane);
            }
        }

        void run() throws Exception {
            for (int from = 0; from < COURIERS; from++) {
                for (int to = 0; to < COURIERS; to++) {
                    for (Lane lane : Lane.values()) {
                        for (int i = 0; i < PARCELS; i++) {
                            int sender = from;
                            int receiver = to;
                            int parcel = i;
                            // in the order of the parcels: all at the same pace
                            at(
                                    i * 3L * MS,
                                    () ->
                                            couriers.get(sender)
                                                    .send(
                                                            receiver,
                                                            lane,
                                                            lane.ordinal() * 1_000 + parcel,
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
                    for (Courier<Integer> courier : couriers) {
                        courier.acknowledge();
                        courier.repeat(now);
                    }
                } else {
                    Event event = events.poll();
                    now = Math.max(now, event.time);
                    event.action.run();
                }
            }
            for (int to = 0; to < COURIERS; to++) {
                for (Lane lane : Lane.values()) {
                    List<Integer> expected = new ArrayList<>();
                    for (int i = 0; i < PARCELS; i++) {
                        expected.add(lane.ordinal() * 1_000 + i);
                    }
                    for (int from = 0; from < COURIERS; from++) {
                        assertThat(delivered.get(to).get(lane).get(from)).isEqualTo(expected);
                    }
                }
            }
            for (int i = 0; i < COURIERS; i++) {
                assertThat(released[i]).isEqualTo(COURIERS * Lane.COUNT * PARCELS);
                assertThat(confirmed[i]).isEqualTo(released[i]);
            }
        }

        private boolean isDone() {
            return events.isEmpty() && couriers.stream().noneMatch(Courier::isWaiting);
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

        private final class Port implements CourierPort<Integer> {
            private final int me;

            private Port(int me) {
                this.me = me;
            }

            @Override
            public void transmit(int peer, Lane lane, long sequence, Integer parcel) {
                carry(() -> couriers.get(peer).onParcel(me, lane, sequence, parcel));
            }

            @Override
            public void acknowledge(int peer, long[] next) {
                carry(() -> couriers.get(peer).onAcknowledgement(me, next, now));
            }

            @Override
            public void deliver(int peer, Integer parcel) {
                delivered.get(me).get(Lane.of(parcel / 1_000)).get(peer).add(parcel);
            }

            @Override
            public void confirmed(int peer, Lane lane, Integer parcel, long nanos) {
                confirmed[me]++;
            }

            @Override
            public void release(int peer, Lane lane, long sequence, Integer parcel) {
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
