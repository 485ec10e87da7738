// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Futures;
import io.meces.flink.runtime.OperatorStateMetadata;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.BackendWritableBroadcastState;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStateRestoreOperation;
import org.apache.flink.runtime.state.RegisteredBroadcastStateBackendMetaInfo;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;

/**
 * The broadcast state of all operators in a task, as bytes: what Flink writes into a checkpoint and
 * into the metadata of it. Used by the task thread.
 */
final class BroadcastTransfer {

    private BroadcastTransfer() {}

    /** Serialises the broadcast state as it is now. */
    static byte[] write(OperatorChain<?, ?> chain) throws Exception {
        List<OperatorStateHandle> handles = new ArrayList<>();
        for (OperatorStateBackend backend : backends(chain)) {
            boolean none = backend == null || backend.getRegisteredBroadcastStateNames().isEmpty();
            handles.add(none ? null : snapshot(backend));
        }
        return serialize(handles);
    }

    /** An int, the number of operators, and for each what a checkpoint's metadata have of it. */
    static byte[] serialize(List<OperatorStateHandle> handles) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(handles.size());
        for (OperatorStateHandle handle : handles) {
            OperatorStateMetadata.write(handle, out);
        }
        return bytes.toByteArray();
    }

    /**
     * @param operators how many are expected
     * @throws IOException if it is not what {@link #serialize} writes for so many operators and
     *     state in memory
     */
    static List<OperatorStateHandle> deserialize(byte[] bytes, int operators) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int count = in.readInt();
        if (count != operators) {
            throw new IOException(
                    "broadcast state of " + count + " operators came, not of " + operators);
        }
        List<OperatorStateHandle> handles = new ArrayList<>();
        for (int i = 0; i < operators; i++) {
            OperatorStateHandle handle = readHandle(in);
            if (handle != null
                    && !(handle.getDelegateStateHandle() instanceof ByteStreamStateHandle)) {
                // nobody else says which files are read here
                throw new IOException("broadcast state came that is in a file");
            }
            handles.add(handle);
        }
        return handles;
    }

    @Nullable
    private static OperatorStateHandle readHandle(DataInputStream in) throws IOException {
        try {
            return OperatorStateMetadata.read(in);
        } catch (RuntimeException malformed) {
            throw new IOException("broadcast state came that cannot be read", malformed);
        }
    }

    @Nullable
    private static OperatorStateHandle snapshot(OperatorStateBackend backend) throws Exception {
        SnapshotResult<OperatorStateHandle> result =
                Futures.run(
                        backend.snapshot(
                                0,
                                0,
                                new MemCheckpointStreamFactory(Integer.MAX_VALUE),
                                CheckpointOptions.forCheckpointWithDefaultLocation()));
        return result.getJobManagerOwnedSnapshot();
    }

    /** Replaces the broadcast state by what {@link #write} of another subtask has returned. */
    static void install(OperatorChain<?, ?> chain, byte[] bytes, ClassLoader loader)
            throws Exception {
        List<OperatorStateBackend> backends = backends(chain);
        List<OperatorStateHandle> handles = deserialize(bytes, backends.size());
        for (int i = 0; i < handles.size(); i++) {
            if (handles.get(i) != null) {
                for (BackendWritableBroadcastState<?, ?> state : read(handles.get(i), loader)) {
                    fill(backends.get(i), state);
                }
            }
        }
    }

    private static Iterable<BackendWritableBroadcastState<?, ?>> read(
            OperatorStateHandle handle, ClassLoader loader) throws Exception {
        Map<String, BackendWritableBroadcastState<?, ?>> states = new HashMap<>();
        try (CloseableRegistry streams = new CloseableRegistry()) {
            new OperatorStateRestoreOperation(
                            streams,
                            loader,
                            new HashMap<>(),
                            states,
                            Collections.singletonList(handle))
                    .restore();
        }
        return states.values();
    }

    /** The operator keeps the state object that it has got: that is filled. */
    private static <K, V> void fill(
            OperatorStateStore store, BackendWritableBroadcastState<K, V> state) throws Exception {
        RegisteredBroadcastStateBackendMetaInfo<K, V> meta = state.getStateMetaInfo();
        BroadcastState<K, V> live =
                store.getBroadcastState(
                        new MapStateDescriptor<>(
                                meta.getName(),
                                meta.getKeySerializer(),
                                meta.getValueSerializer()));
        live.clear();
        for (Map.Entry<K, V> entry : state.entries()) {
            live.put(entry.getKey(), entry.getValue());
        }
    }

    /** Per operator of the chain, in its order; null for one without operator state. */
    static List<OperatorStateBackend> backends(OperatorChain<?, ?> chain) {
        List<OperatorStateBackend> backends = new ArrayList<>();
        for (StreamOperator<?> operator : operators(chain)) {
            if (operator instanceof AbstractStreamOperator) {
                backends.add(((AbstractStreamOperator<?>) operator).getOperatorStateBackend());
            } else if (operator instanceof AbstractStreamOperatorV2) {
                backends.add(((AbstractStreamOperatorV2<?>) operator).getOperatorStateBackend());
            } else {
                backends.add(null);
            }
        }
        return backends;
    }

    static List<StreamOperator<?>> operators(OperatorChain<?, ?> chain) {
        List<StreamOperator<?>> operators = new ArrayList<>();
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            operators.add(wrapper.getStreamOperator());
        }
        return operators;
    }
}
