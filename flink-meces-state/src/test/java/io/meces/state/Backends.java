// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.TestBackends;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.RunnableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** Makes backends keyed by strings, and what tests do with them. */
final class Backends {

    static final int KEY_GROUPS = 8;
    static final int SUB_GROUPS = 4;
    static final KeyGroupRange ALL = KeyGroupRange.of(0, KEY_GROUPS - 1);
    static final String TIMERS = "_timer_state/event_timers";

    private Backends() {}

    static MecesKeyedStateBackend<String> meces(KeyedStateHandle... handles) throws Exception {
        return meces(StringSerializer.INSTANCE, TtlTimeProvider.DEFAULT, handles);
    }

    static <K> MecesKeyedStateBackend<K> meces(
            TypeSerializer<K> keySerializer, TtlTimeProvider time, KeyedStateHandle... handles)
            throws Exception {
        return meces(SUB_GROUPS, keySerializer, time, handles);
    }

    static <K> MecesKeyedStateBackend<K> meces(
            int subGroups,
            TypeSerializer<K> keySerializer,
            TtlTimeProvider time,
            KeyedStateHandle... handles)
            throws Exception {
        return elastic(null, subGroups, keySerializer, time, handles);
    }

    /** That of an elastic subtask. */
    static <K> MecesKeyedStateBackend<K> elastic(
            @Nullable BitSet ownedKeyGroups,
            int subGroups,
            TypeSerializer<K> keySerializer,
            TtlTimeProvider time,
            KeyedStateHandle... handles)
            throws Exception {
        return MecesKeyedStateBackend.restore(
                new BackendEnvironment(
                        "op",
                        null,
                        Backends.class.getClassLoader(),
                        new ExecutionConfig(),
                        time,
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        AccessMetrics.none()),
                keySerializer,
                new UnitKeyContext<>(ALL, KEY_GROUPS, subGroups, ownedKeyGroups),
                TestLocalRecoveryConfig.disabled(),
                handles(handles),
                new CloseableRegistry());
    }

    static HeapKeyedStateBackend<String> stock(KeyGroupRange range, KeyedStateHandle... handles)
            throws Exception {
        return stock(range, TtlTimeProvider.DEFAULT, handles);
    }

    static HeapKeyedStateBackend<String> stock(
            KeyGroupRange range, TtlTimeProvider time, KeyedStateHandle... handles)
            throws Exception {
        return TestBackends.heap(
                StringSerializer.INSTANCE, KEY_GROUPS, range, time, handles(handles));
    }

    private static Collection<KeyedStateHandle> handles(KeyedStateHandle... handles) {
        return handles.length == 0 ? Collections.emptyList() : Arrays.asList(handles);
    }

    /** The state, bound to key and namespace. */
    static <K, N, S extends State> S state(
            KeyedStateBackend<K> backend,
            K key,
            N namespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, ?> descriptor)
            throws Exception {
        backend.setCurrentKey(key);
        return backend.getPartitionedState(namespace, namespaceSerializer, descriptor);
    }

    static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> timers(
            HeapKeyedStateBackend<String> backend, String queue) {
        return backend.create(
                queue, new TimerSerializer<>(StringSerializer.INSTANCE, StringSerializer.INSTANCE));
    }

    static TimerHeapInternalTimer<String, String> timer(long time, String key, String namespace) {
        return new TimerHeapInternalTimer<>(time, key, namespace);
    }

    static int keyGroup(Object key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS);
    }

    static int subGroup(Object key) {
        return SubGroups.of(key, SUB_GROUPS);
    }

    /** Another key of the same unit. */
    static String sibling(String key) {
        for (int i = 0; ; i++) {
            String other = key + "-" + i;
            if (keyGroup(other) == keyGroup(key) && subGroup(other) == subGroup(key)) {
                return other;
            }
        }
    }

    /** A key of the same key-group but another sub-group. */
    static String neighbour(String key) {
        for (int i = 0; ; i++) {
            String other = key + "-" + i;
            if (keyGroup(other) == keyGroup(key) && subGroup(other) != subGroup(key)) {
                return other;
            }
        }
    }

    static UnitSchema schema(HeapUnitStore<?> donor, HeapUnitStore<?> receiver) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(256);
        donor.writeSchema(out);
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        UnitSchema schema = receiver.readSchema(in);
        if (in.available() != 0) {
            throw new IOException(in.available() + " bytes of the schema were not read");
        }
        return schema;
    }

    static byte[] extract(HeapUnitStore<?> donor, int keyGroup, int subGroup) throws IOException {
        return extract(donor, keyGroup, subGroup, new UnitCompression(Compression.NONE));
    }

    static byte[] extract(
            HeapUnitStore<?> donor, int keyGroup, int subGroup, UnitCompression compression)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        donor.extract(keyGroup, subGroup, out, compression);
        return out.getCopyOfBuffer();
    }

    static void install(
            HeapUnitStore<?> receiver, int keyGroup, int subGroup, byte[] unit, UnitSchema schema)
            throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(unit);
        receiver.install(keyGroup, subGroup, in, schema, receiver.direct());
        if (in.available() != 0) {
            throw new IOException(in.available() + " bytes of the unit were not read");
        }
    }

    /** Moves the unit of the key. */
    static void move(HeapUnitStore<?> donor, HeapUnitStore<?> receiver, Object key)
            throws Exception {
        UnitSchema schema = schema(donor, receiver);
        byte[] unit = extract(donor, keyGroup(key), subGroup(key));
        install(receiver, keyGroup(key), subGroup(key), unit, schema);
    }

    static RunnableFuture<SnapshotResult<KeyedStateHandle>> startSnapshot(
            HeapKeyedStateBackend<?> backend) throws Exception {
        return backend.snapshot(
                1L,
                1L,
                new MemCheckpointStreamFactory(64 << 20),
                CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    static KeyedStateHandle finish(RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot)
            throws Exception {
        snapshot.run();
        return snapshot.get().getJobManagerOwnedSnapshot();
    }

    static KeyedStateHandle snapshot(HeapKeyedStateBackend<?> backend) throws Exception {
        return finish(startSnapshot(backend));
    }
}
