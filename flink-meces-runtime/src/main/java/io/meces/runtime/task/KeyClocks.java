// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.eventtime.KeyTimes;
import io.meces.flink.runtime.TimerParts;
import io.meces.flink.runtime.TimerServices;
import io.meces.runtime.operator.IntervalJoins;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.UnitStore;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * The event time of the keys of each operator in a task. Operators see it as the current watermark
 * of their timer services, wherever it decides something: whether a record is late, whether a
 * window fires at once.
 *
 * <p>Owned by the task thread.
 */
final class KeyClocks implements TimerServices {

    private final int units;
    private final Map<UnitStore, Clock> clocks = new IdentityHashMap<>();

    /**
     * @param units how many the vertex has in all
     */
    KeyClocks(int units) {
        this.units = units;
    }

    @Override
    public <K> InternalTimeServiceManager<K> create(TimerParts<K> parts) throws Exception {
        if (!(parts.queues instanceof ElasticKeyedStateBackend)) {
            return parts.manager();
        }
        UnitStore store = ((ElasticKeyedStateBackend) parts.queues).units();
        Clock clock = new Clock(store, keepsTimes(parts.operator));
        clocks.put(store, clock);
        return KeyTimerServices.manager(parts, clock);
    }

    private static boolean keepsTimes(KeyContext operator) {
        return operator instanceof StreamOperator
                && IntervalJoins.contain((StreamOperator<?>) operator);
    }

    /** Of the operator with that state. */
    KeyTimes of(UnitStore store) {
        return clocks.get(store).times;
    }

    /** A record is processed that has no key. */
    void beginWithoutKey() {
        for (Clock clock : clocks.values()) {
            if (!clock.times.isWatermarkForAll()) {
                clock.store.leaveKey();
            }
        }
    }

    private final class Clock implements KeyTimerServices.Port {

        private final UnitStore store;
        private final boolean sameForAll;
        private final KeyTimes times = new KeyTimes(units);

        /**
         * @param sameForAll whether the operator must see one time for all of its keys
         */
        Clock(UnitStore store, boolean sameForAll) {
            this.store = store;
            this.sameForAll = sameForAll;
        }

        @Override
        public boolean isWatermarkForAll() {
            return times.isWatermarkForAll() || sameForAll;
        }

        @Override
        public long timeOfKey() {
            return times.of(store.currentUnit());
        }

        @Override
        public void onWatermark(long watermark) {
            times.onWatermark(watermark);
        }
    }
}
