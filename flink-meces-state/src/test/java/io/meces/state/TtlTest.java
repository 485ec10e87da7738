// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.ALL;
import static io.meces.state.Backends.finish;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.move;
import static io.meces.state.Backends.sibling;
import static io.meces.state.Backends.snapshot;
import static io.meces.state.Backends.startSnapshot;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.stock;
import static io.meces.state.Backends.subGroup;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TtlTest {

    private final MockTtlTimeProvider time = new MockTtlTimeProvider();
    private MecesKeyedStateBackend<String> donor;
    private MecesKeyedStateBackend<String> receiver;

    @BeforeEach
    void createBackends() throws Exception {
        donor = meces(StringSerializer.INSTANCE, time);
        receiver = meces(StringSerializer.INSTANCE, time);
    }

    @Test
    void anEntryExpiresAtTheReceiverAsItWouldHaveAtTheDonor() throws Exception {
        ValueStateDescriptor<Long> descriptor = value(ttl().build());
        value(donor, "a", descriptor).update(1L);
        time.setCurrentTimestamp(60);

        move(donor.units(), receiver.units(), "a");

        assertThat(value(receiver, "a", descriptor).value()).isEqualTo(1L);
        time.setCurrentTimestamp(100);
        assertThat(value(receiver, "a", descriptor).value()).isNull();
    }

    @Test
    void anExpiredEntryIsCarriedAndStaysExpired() throws Exception {
        ValueStateDescriptor<Long> descriptor = value(ttl().build());
        value(donor, "a", descriptor).update(1L);
        time.setCurrentTimestamp(1000);

        move(donor.units(), receiver.units(), "a");

        assertThat(receiver.units().entries(keyGroup("a"), subGroup("a"))).isEqualTo(1);
        assertThat(value(receiver, "a", descriptor).value()).isNull();
    }

    @Test
    void aSnapshotLeavesOutWhatHasExpired() throws Exception {
        ValueStateDescriptor<Long> descriptor = value(ttl().cleanupFullSnapshot().build());
        for (int i = 0; i < 100; i++) {
            value(donor, "old" + i, descriptor).update(1L);
        }
        time.setCurrentTimestamp(60);
        for (int i = 0; i < 50; i++) {
            value(donor, "new" + i, descriptor).update((long) i);
        }
        time.setCurrentTimestamp(120);

        KeyedStateHandle handle = snapshot(donor);

        HeapKeyedStateBackend<String> restored = stock(ALL, time, handle);
        assertThat(restored.numKeyValueStateEntries()).isEqualTo(50);
        MecesKeyedStateBackend<String> restoredAgain =
                meces(StringSerializer.INSTANCE, time, handle);
        for (int i = 0; i < 50; i++) {
            assertThat(value(restored, "new" + i, descriptor).value()).isEqualTo(i);
            assertThat(value(restoredAgain, "new" + i, descriptor).value()).isEqualTo(i);
        }
    }

    @Test
    void aSnapshotThatFiltersIsNotDisturbedByTakingUnitsOut() throws Exception {
        ValueStateDescriptor<Long> descriptor = value(ttl().cleanupFullSnapshot().build());
        for (int i = 0; i < 100; i++) {
            value(donor, "k" + i, descriptor).update(1L);
        }
        RunnableFuture<SnapshotResult<KeyedStateHandle>> running = startSnapshot(donor);
        for (int i = 0; i < 100; i++) {
            if (!donor.units().isEmpty(keyGroup("k" + i), subGroup("k" + i))) {
                move(donor.units(), receiver.units(), "k" + i);
            }
        }

        assertThat(stock(ALL, time, finish(running)).numKeyValueStateEntries()).isEqualTo(100);
        assertThat(donor.numKeyValueStateEntries()).isZero();
        assertThat(receiver.numKeyValueStateEntries()).isEqualTo(100);
    }

    @Test
    void incrementalCleanupVisitsAllSubGroups() throws Exception {
        ValueStateDescriptor<Long> descriptor = value(ttl().cleanupIncrementally(5, false).build());
        for (int i = 0; i < 1000; i++) {
            value(donor, "k" + i, descriptor).update(1L);
        }
        time.setCurrentTimestamp(1000);

        int accesses = 0;
        while (donor.numKeyValueStateEntries() > 1 && accesses < 5000) {
            accesses++;
            value(donor, "alive", descriptor).update(1L);
        }

        assertThat(donor.numKeyValueStateEntries()).isEqualTo(1);
        assertThat(value(donor, "alive", descriptor).value()).isEqualTo(1L);
    }

    @Test
    void incrementalCleanupDoesNotBringBackAUnitThatWasTakenOut() throws Exception {
        MapStateDescriptor<String, Integer> descriptor =
                new MapStateDescriptor<>("ttl", StringSerializer.INSTANCE, IntSerializer.INSTANCE);
        descriptor.enableTimeToLive(ttl().cleanupIncrementally(1, false).build());
        List<String> keys = new ArrayList<>();
        String last = "a";
        for (int i = 0; i < 30; i++) {
            keys.add(last);
            last = sibling(last);
        }
        for (String key : keys) {
            map(donor, key, descriptor).put("old", 1);
        }
        time.setCurrentTimestamp(60);
        for (String key : keys) {
            map(donor, key, descriptor).put("new", 1);
        }
        String elsewhere = "b";
        assertThat(keyGroup(elsewhere)).isNotEqualTo(keyGroup("a"));
        for (int i = 0; i < 5; i++) {
            map(donor, elsewhere, descriptor).get("x");
        }

        move(donor.units(), receiver.units(), "a");
        // The "old" half of each map expires: cleaning it up would write the rest back.
        time.setCurrentTimestamp(120);
        for (int i = 0; i < 200; i++) {
            map(donor, elsewhere, descriptor).get("x");
        }

        assertThat(donor.numKeyValueStateEntries()).isZero();
        assertThat(map(receiver, "a", descriptor).get("new")).isEqualTo(1);
        assertThat(map(receiver, "a", descriptor).get("old")).isNull();
    }

    private static StateTtlConfig.Builder ttl() {
        return StateTtlConfig.newBuilder(Time.milliseconds(100));
    }

    private static ValueStateDescriptor<Long> value(StateTtlConfig ttl) {
        ValueStateDescriptor<Long> descriptor =
                new ValueStateDescriptor<>("ttl", LongSerializer.INSTANCE);
        descriptor.enableTimeToLive(ttl);
        return descriptor;
    }

    private static ValueState<Long> value(
            HeapKeyedStateBackend<String> backend,
            String key,
            ValueStateDescriptor<Long> descriptor)
            throws Exception {
        return bind(backend, key, descriptor);
    }

    private static MapState<String, Integer> map(
            HeapKeyedStateBackend<String> backend,
            String key,
            MapStateDescriptor<String, Integer> descriptor)
            throws Exception {
        return bind(backend, key, descriptor);
    }

    private static <S extends State> S bind(
            HeapKeyedStateBackend<String> backend, String key, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return state(
                backend, key, VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }
}
