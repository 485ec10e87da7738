// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.TestRocksDB;
import io.meces.state.Compression;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import io.meces.state.UnitStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;

/** Backends of String keys with some states, ours and Flink's. */
final class Backends implements AutoCloseable {

    static final int KEY_GROUPS = 16;
    static final String TASK = "task";
    static final int SUBTASK = 2;

    static final ValueStateDescriptor<Long> VALUE =
            new ValueStateDescriptor<>("value", LongSerializer.INSTANCE);
    static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", StringSerializer.INSTANCE);
    static final MapStateDescriptor<String, Long> MAP =
            new MapStateDescriptor<>("map", StringSerializer.INSTANCE, LongSerializer.INSTANCE);

    private static final String[] NAMESPACES = {"a", "window-b"};
    private static final int MAX_STATE = 1 << 26;

    private final Path directory;
    private final Configuration configuration;
    private final MockEnvironment environment =
            new MockEnvironmentBuilder()
                    .setTaskName(TASK)
                    .setSubtaskIndex(SUBTASK)
                    .setParallelism(SUBTASK + 1)
                    .setMaxParallelism(KEY_GROUPS)
                    .build();
    private final List<AbstractKeyedStateBackend<?>> open = new ArrayList<>();
    private final Counters counters = new Counters();

    /** Incremental checkpoints, and savepoints that can be read by key-group. */
    enum Kind {
        CHECKPOINT,
        SAVEPOINT
    }

    /** Those of all of our backends together, by name. */
    private static final class Counters extends UnregisteredMetricsGroup {

        private final Map<String, Counter> byName = new HashMap<>();

        @Override
        public Counter counter(String name) {
            return byName.computeIfAbsent(name, n -> new SimpleCounter());
        }

        @Override
        public MetricGroup addGroup(String name) {
            return this;
        }
    }

    Backends(Path directory) {
        this(directory, new Configuration());
    }

    /**
     * @param configuration of the cluster, by which ours are made
     */
    Backends(Path directory, Configuration configuration) {
        this.directory = directory;
        this.configuration = configuration;
    }

    /** What RocksDB has taken over as files, in all of our backends. */
    long bytesIngested() {
        return counters.counter("rocksdbBytesIngested").getCount();
    }

    private RocksDBStateBackend flinks() throws IOException {
        RocksDBStateBackend backend =
                new RocksDBStateBackend(directory.resolve("checkpoints").toUri(), true);
        backend.setDbStoragePath(directory.resolve("db").toString());
        TestRocksDB.leaveManagedMemory(backend);
        return backend;
    }

    /** Ours, with those key-groups. */
    MecesRocksDBKeyedStateBackend<String> ours(BitSet keyGroups, KeyedStateHandle... handles)
            throws Exception {
        return ours(StringSerializer.INSTANCE, keyGroups, handles);
    }

    <K> MecesRocksDBKeyedStateBackend<K> ours(
            TypeSerializer<K> keys, BitSet keyGroups, KeyedStateHandle... handles)
            throws Exception {
        AbstractKeyedStateBackend<K> backend =
                TestRocksDB.keyed(
                        MecesRocksDBStateBackend.inPlaceOf(flinks(), configuration)
                                .configure(configuration, getClass().getClassLoader()),
                        ElasticMock.of(environment, keyGroups),
                        keys,
                        KEY_GROUPS,
                        KeyGroupRange.of(0, 0),
                        counters,
                        new ArrayList<>(Arrays.asList(handles)));
        open.add(backend);
        return (MecesRocksDBKeyedStateBackend<K>) backend;
    }

    /** Flink's, with all key-groups. */
    AbstractKeyedStateBackend<String> stock(KeyedStateHandle... handles) throws Exception {
        AbstractKeyedStateBackend<String> backend =
                TestRocksDB.keyed(
                        flinks(),
                        environment,
                        StringSerializer.INSTANCE,
                        KEY_GROUPS,
                        KeyGroupRange.of(0, KEY_GROUPS - 1),
                        new UnregisteredMetricsGroup(),
                        new ArrayList<>(Arrays.asList(handles)));
        open.add(backend);
        return backend;
    }

    static int keyGroup(String key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS);
    }

    /** Some number of keys of a key-group. */
    static List<String> keys(int keyGroup, int number) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; keys.size() < number; i++) {
            if (keyGroup("key-" + i) == keyGroup) {
                keys.add("key-" + i);
            }
        }
        return keys;
    }

    static <S extends State> S state(
            KeyedStateBackend<String> backend, String namespace, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, descriptor);
    }

    /** Changes all states of a key, in two namespaces. */
    static void fill(KeyedStateBackend<String> backend, String key, long plus) throws Exception {
        backend.setCurrentKey(key);
        for (String namespace : NAMESPACES) {
            ValueState<Long> value = state(backend, namespace, VALUE);
            value.update((value.value() == null ? 0 : value.value()) + plus);
            ListState<String> list = state(backend, namespace, LIST);
            list.add(key);
            list.add("+" + plus);
            MapState<String, Long> map = state(backend, namespace, MAP);
            map.put(key, plus);
            map.put("n" + plus, 2L);
        }
    }

    static String read(KeyedStateBackend<String> backend, String key) throws Exception {
        backend.setCurrentKey(key);
        StringBuilder all = new StringBuilder();
        for (String namespace : NAMESPACES) {
            all.append(state(backend, namespace, VALUE).value());
            Iterable<String> list = state(backend, namespace, LIST).get();
            all.append(list == null ? "[]" : list);
            List<String> entries = new ArrayList<>();
            state(backend, namespace, MAP)
                    .entries()
                    .forEach(entry -> entries.add(entry.getKey() + "=" + entry.getValue()));
            all.append(entries).append(';');
        }
        return all.toString();
    }

    /** Moves a key-group with all it has. */
    static void move(UnitStore from, UnitStore to, int keyGroup, Compression compression)
            throws Exception {
        UnitSchema schema = schema(from, to);
        DataOutputSerializer out = new DataOutputSerializer(64);
        from.extract(keyGroup, 0, out, new UnitCompression(compression));
        to.install(
                keyGroup, 0, new DataInputDeserializer(out.getCopyOfBuffer()), schema, to.direct());
    }

    static UnitSchema schema(UnitStore from, UnitStore to) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        from.writeSchema(out);
        return to.readSchema(new DataInputDeserializer(out.getCopyOfBuffer()));
    }

    static KeyedStateHandle checkpoint(AbstractKeyedStateBackend<?> backend, long id)
            throws Exception {
        return snapshot(backend, id, Kind.CHECKPOINT);
    }

    /** It is complete. */
    static KeyedStateHandle snapshot(AbstractKeyedStateBackend<?> backend, long id, Kind kind)
            throws Exception {
        KeyedStateHandle handle = write(backend, id, kind);
        backend.notifyCheckpointComplete(id);
        return handle;
    }

    /** The same, but the backend does not hear that it is complete. */
    static KeyedStateHandle write(AbstractKeyedStateBackend<?> backend, long id, Kind kind)
            throws Exception {
        return write(backend, id, kind, new MemCheckpointStreamFactory(MAX_STATE));
    }

    static KeyedStateHandle write(
            AbstractKeyedStateBackend<?> backend,
            long id,
            Kind kind,
            CheckpointStreamFactory streams)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                begin(backend, id, kind, streams);
        snapshot.run();
        return snapshot.get().getJobManagerOwnedSnapshot();
    }

    /** The part of it that the task thread does. */
    static RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(
            AbstractKeyedStateBackend<?> backend,
            long id,
            Kind kind,
            CheckpointStreamFactory streams)
            throws Exception {
        return kind == Kind.SAVEPOINT
                ? TestRocksDB.savepoint(backend, id, streams)
                : backend.snapshot(
                        id, id, streams, CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    @Override
    public void close() throws Exception {
        open.forEach(AbstractKeyedStateBackend::dispose);
        environment.close();
    }
}
