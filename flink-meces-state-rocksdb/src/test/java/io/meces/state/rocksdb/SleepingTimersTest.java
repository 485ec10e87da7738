// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.store.DeferredKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.Test;

/** Timers wake with their key, and those of a key-group in parts. */
class SleepingTimersTest {

    private static final String EVENT_TIME = "_timer_state/event_timers";
    private static final int KEY_GROUP = 3;
    private static final int TIMERS = 4;

    private final SleepingTimers timers = new SleepingTimers();
    private final List<String> awake = new ArrayList<>();

    private void add(int keyGroup, int key, int time) {
        timers.add(
                keyGroup,
                new DeferredKey(new byte[] {(byte) keyGroup, (byte) key}),
                EVENT_TIME,
                new TimerHeapInternalTimer<>(time, keyGroup + "-" + key, "namespace"));
    }

    private boolean wake(int keyGroup, int number) {
        return timers.wakeSome(
                keyGroup,
                number,
                (queue, timer) ->
                        awake.add((String) ((TimerHeapInternalTimer<?, ?>) timer).getKey()));
    }

    @Test
    void thoseOfAKeyGroupWakeInPartsAndThoseOfAKeyTogether() {
        for (int key = 0; key < 100; key++) {
            for (int t = 0; t < TIMERS; t++) {
                add(KEY_GROUP, key, t);
            }
        }
        add(KEY_GROUP + 1, 0, 0);
        int parts = 0;
        while (wake(KEY_GROUP, 50)) {
            parts++;
            assertThat(awake).hasSize(parts * 52);
            assertThat(byKey()).allSatisfy((key, n) -> assertThat(n).isEqualTo(TIMERS));
            assertThat(timers.dueAt(TIMERS, 1_000)).hasSize(100 - parts * 13 + 1);
        }
        assertThat(parts).isEqualTo(7);
        assertThat(awake).hasSize(100 * TIMERS);
        assertThat(byKey()).hasSize(100);
        assertThat(timers.dueAt(TIMERS, 1_000)).hasSize(1);
        assertThat(wake(KEY_GROUP, 50)).isFalse();
        assertThat(awake).hasSize(100 * TIMERS);
    }

    /** They are looked at every few milliseconds. */
    @Test
    void manyTimersOfAKeyAreNotLookedAtOneByOne() {
        int[] looks = {0};
        for (int i = 0; i < 1_000; i++) {
            timers.add(
                    KEY_GROUP,
                    new DeferredKey(new byte[] {KEY_GROUP, (byte) (i % 10)}),
                    "_timer_state/processing_timers",
                    new Counted(i, looks));
        }
        looks[0] = 0;
        assertThat(timers.dueNow(5_000, 256)).hasSize(10);
        assertThat(looks[0]).isLessThan(200);
    }

    /** Also if it has come behind a later one of its key. */
    @Test
    void theEarliestTimerOfAKeyTells() {
        add(KEY_GROUP, 1, 20);
        add(KEY_GROUP, 1, 10);
        add(KEY_GROUP, 1, 30);
        assertThat(timers.dueAt(9, 5)).isEmpty();
        assertThat(timers.dueAt(10, 5)).hasSize(1);
        assertThat(timers.dueAt(40, 5)).hasSize(1);
    }

    private Map<String, Long> byKey() {
        return awake.stream()
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    /** Counts how often it is asked for its time. */
    private static final class Counted implements InternalTimer<String, String> {

        private final long time;
        private final int[] looks;

        private Counted(long time, int[] looks) {
            this.time = time;
            this.looks = looks;
        }

        @Override
        public long getTimestamp() {
            looks[0]++;
            return time;
        }

        @Override
        public String getKey() {
            return "key";
        }

        @Override
        public String getNamespace() {
            return "namespace";
        }

        @Override
        public int comparePriorityTo(InternalTimer<?, ?> other) {
            return Long.compare(time, other.getTimestamp());
        }
    }
}
