// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.BackendEnvironment;
import io.meces.state.Compression;
import io.meces.state.HeapUnitStore;
import io.meces.state.MecesKeyedStateBackend;
import io.meces.state.UnitCompression;
import io.meces.state.UnitKeyContext;
import io.meces.state.UnitSchema;
import java.util.BitSet;
import java.util.Collections;
import java.util.Random;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** Makes the backends that are measured, keyed by longs, and keys for them. */
final class Backends {

    /** Flink's default at small parallelism. */
    static final int KEY_GROUPS = 128;

    /** Name of Flink's backend as a parameter; ours are named by their number of sub-groups. */
    static final String FLINK = "flink";

    /** Behind a number of sub-groups: all units have come from another backend. */
    static final String MOVED = "-moved";

    private Backends() {}

    /**
     * A backend without state.
     *
     * @param name {@link #FLINK}, or a number of sub-groups, perhaps with {@link #MOVED}
     */
    static HeapKeyedStateBackend<Long> create(String name) throws Exception {
        return FLINK.equals(name)
                ? flink()
                : meces(KEY_GROUPS, Integer.parseInt(name.replace(MOVED, "")));
    }

    private static HeapKeyedStateBackend<Long> flink() throws Exception {
        KeyGroupRange range = KeyGroupRange.of(0, KEY_GROUPS - 1);
        return new HeapKeyedStateBackendBuilder<>(
                        null,
                        LongSerializer.INSTANCE,
                        Backends.class.getClassLoader(),
                        KEY_GROUPS,
                        range,
                        new ExecutionConfig(),
                        TtlTimeProvider.DEFAULT,
                        Collections.emptyList(),
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        new LocalRecoveryConfig(false, null),
                        new HeapPriorityQueueSetFactory(range, KEY_GROUPS, 128),
                        true,
                        new CloseableRegistry())
                .build();
    }

    /** The backend, or if its name says so another one to which all of its units have moved. */
    static HeapKeyedStateBackend<Long> moveIfNamedSo(
            String name, HeapKeyedStateBackend<Long> backend) throws Exception {
        if (!name.endsWith(MOVED)) {
            return backend;
        }
        HeapUnitStore<Long> donor = ((MecesKeyedStateBackend<Long>) backend).units();
        MecesKeyedStateBackend<Long> moved = (MecesKeyedStateBackend<Long>) create(name);
        HeapUnitStore<Long> receiver = moved.units();
        DataOutputSerializer out = new DataOutputSerializer(1 << 16);
        donor.writeSchema(out);
        UnitSchema schema = receiver.readSchema(new DataInputDeserializer(out.getCopyOfBuffer()));
        UnitCompression uncompressed = new UnitCompression(Compression.NONE);
        for (int keyGroup = 0; keyGroup < KEY_GROUPS; keyGroup++) {
            for (int subGroup = 0; subGroup < donor.subGroups(); subGroup++) {
                out.clear();
                donor.extract(keyGroup, subGroup, out, uncompressed);
                receiver.install(
                        keyGroup,
                        subGroup,
                        new DataInputDeserializer(out.getCopyOfBuffer()),
                        schema,
                        receiver.direct());
            }
        }
        return moved;
    }

    static MecesKeyedStateBackend<Long> meces(int keyGroups, int subGroups) throws Exception {
        BitSet owned = new BitSet(keyGroups);
        owned.set(0, keyGroups);
        return MecesKeyedStateBackend.restore(
                new BackendEnvironment(
                        "benchmark",
                        null,
                        Backends.class.getClassLoader(),
                        new ExecutionConfig(),
                        TtlTimeProvider.DEFAULT,
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        AccessMetrics.none()),
                LongSerializer.INSTANCE,
                new UnitKeyContext<>(
                        KeyGroupRange.of(0, keyGroups - 1), keyGroups, subGroups, owned),
                new LocalRecoveryConfig(false, null),
                Collections.emptyList(),
                new CloseableRegistry());
    }

    static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>> timers(
            HeapKeyedStateBackend<Long> backend) {
        return backend.create(
                "timers",
                new TimerSerializer<>(LongSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    /** A key for each number: spread over all longs, so that hash codes are too. */
    static long key(long number) {
        long z = number * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The first so many keys in random order, as objects of their own like those of records. */
    static Long[] shuffledKeys(int count) {
        int[] numbers = new int[count];
        Random random = new Random(1);
        for (int i = 0; i < count; i++) {
            int j = random.nextInt(i + 1);
            numbers[i] = numbers[j];
            numbers[j] = i;
        }
        Long[] keys = new Long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = key(numbers[i]);
        }
        return keys;
    }
}
