// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.state.ElasticEnvironment;
import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.TernaryBoolean;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/**
 * A backend with state in RocksDB, keyed by longs, with a value of bytes for each key: Flink's own,
 * or ours in its place. Its files are in a temporary directory, which is deleted with it.
 */
final class RocksDBBackend implements AutoCloseable {

    /**
     * Block cache and memtables together. With 256 MB memtables reserve so much of the cache that
     * indexes of files, 0.4 MB each, do not all stay in it. Whether a get finds the index, or reads
     * it again for 0.6 ms, then depends on the numbers of the files.
     */
    private static final String MEMORY = "1gb";

    private static final ValueStateDescriptor<byte[]> VALUE =
            new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE);

    private final MockEnvironment environment = new MockEnvironmentBuilder().build();
    private final Counted options = new Counted();
    private final Path directory;
    private final AbstractKeyedStateBackend<Long> backend;

    private RocksDBBackend(boolean stock, int keyGroups, BitSet ownedKeyGroups, MetricGroup metrics)
            throws IOException {
        directory = Files.createTempDirectory("meces-rocksdb");
        RocksDBStateBackend flinks =
                new RocksDBStateBackend(
                                (StateBackend)
                                        new FsStateBackend(
                                                directory.resolve("checkpoints").toUri()),
                                TernaryBoolean.TRUE)
                        .configure(new Configuration(), RocksDBBackend.class.getClassLoader());
        flinks.setDbStoragePath(directory.resolve("db").toString());
        flinks.getMemoryConfiguration().setFixedMemoryPerSlot(MemorySize.parse(MEMORY));
        flinks.setRocksDBOptions(options);
        AbstractStateBackend factory =
                stock ? flinks : MecesRocksDBStateBackend.inPlaceOf(flinks, new Configuration());
        backend =
                factory.createKeyedStateBackend(
                        stock ? environment : elastic(environment, ownedKeyGroups),
                        new JobID(),
                        "operator",
                        LongSerializer.INSTANCE,
                        keyGroups,
                        KeyGroupRange.of(0, keyGroups - 1),
                        environment.getTaskKvStateRegistry(),
                        TtlTimeProvider.DEFAULT,
                        metrics,
                        Collections.emptyList(),
                        new CloseableRegistry());
    }

    /** Flink's, with all key-groups. */
    static RocksDBBackend flink(int keyGroups) throws IOException {
        return new RocksDBBackend(true, keyGroups, new BitSet(), new UnregisteredMetricsGroup());
    }

    /** Ours, with those key-groups. */
    static RocksDBBackend meces(int keyGroups, BitSet owned, MetricGroup metrics)
            throws IOException {
        return new RocksDBBackend(false, keyGroups, owned, metrics);
    }

    private static Environment elastic(Environment environment, BitSet keyGroups) {
        return (Environment)
                Proxy.newProxyInstance(
                        RocksDBBackend.class.getClassLoader(),
                        new Class<?>[] {Environment.class, ElasticEnvironment.class},
                        (proxy, method, arguments) -> {
                            if (method.getDeclaringClass() == ElasticEnvironment.class) {
                                return method.getName().equals("subGroups")
                                        ? (Object) 1
                                        : keyGroups.clone();
                            }
                            try {
                                return method.invoke(environment, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    AbstractKeyedStateBackend<Long> keyed() {
        return backend;
    }

    /** The state of the current key. */
    ValueState<byte[]> value() throws Exception {
        return value(backend);
    }

    private static ValueState<byte[]> value(KeyedStateBackend<Long> backend) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, VALUE);
    }

    /** Brings all files to the last level, where they end up sooner or later. */
    @SuppressWarnings("unchecked")
    void compact() throws ReflectiveOperationException, RocksDBException {
        RocksDB db = (RocksDB) field("db");
        Map<String, RocksDBKeyedStateBackend.RocksDbKvStateInfo> states =
                (Map<String, RocksDBKeyedStateBackend.RocksDbKvStateInfo>)
                        field("kvStateInformation");
        for (RocksDBKeyedStateBackend.RocksDbKvStateInfo state : states.values()) {
            db.compactRange(state.columnFamilyHandle);
        }
    }

    private Object field(String name) throws ReflectiveOperationException {
        Field field = RocksDBKeyedStateBackend.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(backend);
    }

    /** For how long RocksDB has made writers wait so far, in µs. */
    long stallMicros() {
        return options.statistics.getTickerCount(TickerType.STALL_MICROS);
    }

    @Override
    public void close() throws Exception {
        backend.dispose();
        environment.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(RocksDBBackend::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Flink's options, but RocksDB counts. */
    private static final class Counted implements RocksDBOptionsFactory {

        private static final long serialVersionUID = 1L;

        /** Made when Flink has loaded RocksDB. */
        private transient Statistics statistics;

        @Override
        public DBOptions createDBOptions(
                DBOptions current, Collection<AutoCloseable> handlesToClose) {
            statistics = new Statistics();
            handlesToClose.add(statistics);
            return current.setStatistics(statistics);
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions current, Collection<AutoCloseable> handlesToClose) {
            return current;
        }
    }
}
