// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import io.meces.flink.state.KeyedBackendParameters;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;

/** What tests do with RocksDB otherwise in each line of Flink. */
public final class TestRocksDB {

    private TestRocksDB() {}

    /** The keyed backend of the operator "operator", made as by Flink. */
    @SuppressWarnings("unchecked")
    public static <K> AbstractKeyedStateBackend<K> keyed(
            StateBackend backend,
            Environment environment,
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            MetricGroup metrics,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        return (AbstractKeyedStateBackend<K>)
                backend.createKeyedStateBackend(
                        new KeyedStateBackendParametersImpl<>(
                                environment,
                                new JobID(),
                                "operator",
                                keySerializer,
                                numberOfKeyGroups,
                                range,
                                environment.getTaskKvStateRegistry(),
                                TtlTimeProvider.DEFAULT,
                                metrics,
                                handles,
                                new CloseableRegistry()));
    }

    /** The same for another environment, and with another clock. */
    public static <K> KeyedBackendParameters<K> with(
            Environment environment, TtlTimeProvider time, KeyedBackendParameters<K> parameters) {
        StateBackend.KeyedStateBackendParameters<K> flinks = parameters.flinks();
        return new KeyedBackendParameters<>(
                new KeyedStateBackendParametersImpl<>(
                        environment,
                        flinks.getJobID(),
                        flinks.getOperatorIdentifier(),
                        flinks.getKeySerializer(),
                        flinks.getNumberOfKeyGroups(),
                        flinks.getKeyGroupRange(),
                        flinks.getKvStateRegistry(),
                        time,
                        flinks.getMetricGroup(),
                        flinks.getCustomInitializationMetrics(),
                        flinks.getStateHandles(),
                        flinks.getCancelStreamRegistry(),
                        flinks.getManagedMemoryFraction()));
    }

    /** One that can be read by key-group. */
    public static RunnableFuture<SnapshotResult<KeyedStateHandle>> savepoint(
            AbstractKeyedStateBackend<?> backend, long id, CheckpointStreamFactory streams)
            throws Exception {
        return StreamOperatorStateHandler.prepareCanonicalSavepoint(
                        backend, new CloseableRegistry())
                .snapshot(
                        id,
                        id,
                        streams,
                        new CheckpointOptions(
                                SavepointType.savepoint(SavepointFormatType.CANONICAL),
                                CheckpointStorageLocationReference.getDefault()));
    }

    /** Has it not ask for managed memory. */
    public static void leaveManagedMemory(RocksDBStateBackend backend) {
        RocksDBBackends.embeddedIn(backend).getMemoryConfiguration().setUseManagedMemory(false);
    }

    /** An empty one. */
    public static SharedStateRegistry registry() {
        return new SharedStateRegistryImpl();
    }

    /** As the JobManager does with what comes for a checkpoint. */
    public static void register(
            KeyedStateHandle handle, SharedStateRegistry registry, long checkpoint) {
        handle.registerSharedStates(registry, checkpoint);
    }

    /** Ends a stream of a checkpoint as one that is to be kept. */
    public static StreamStateHandle close(FSDataOutputStream stream) throws IOException {
        return ((CheckpointStateOutputStream) stream).closeAndGetHandle();
    }
}
