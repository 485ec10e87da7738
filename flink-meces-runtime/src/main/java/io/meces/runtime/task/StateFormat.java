// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.OperatorStateHeader;
import io.meces.runtime.sink.ConnectorReflection;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.UnitStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.apache.flink.runtime.state.BackendWritableBroadcastState;
import org.apache.flink.runtime.state.DefaultOperatorStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.PartitionableListState;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.util.InstantiationUtil;

/**
 * In which format the operators of a task write their state: a snapshot without any elements. A new
 * subtask that restores it registers its states as one that was restored does, with serializers
 * that are reconfigured alike. Task thread.
 */
final class StateFormat {

    /** The same in all formats: those that are equal in bytes are equal. */
    private static final String NAME = "format";

    private StateFormat() {}

    /** The serialised {@link TaskStateSnapshot}. */
    static byte[] of(OperatorChain<?, ?> chain) throws IOException {
        TaskStateSnapshot task = new TaskStateSnapshot();
        List<OperatorStateBackend> backends = BroadcastTransfer.backends(chain);
        List<StreamOperator<?>> operators = BroadcastTransfer.operators(chain);
        for (int i = 0; i < operators.size(); i++) {
            OperatorSubtaskState.Builder state = OperatorSubtaskState.builder();
            KeyedStateBackend<?> keyed = ElasticTimers.keyedStateBackend(operators.get(i));
            if (keyed instanceof ElasticKeyedStateBackend) {
                state.setManagedKeyedState(ofKeys((ElasticKeyedStateBackend) keyed));
            }
            if (backends.get(i) instanceof DefaultOperatorStateBackend) {
                state.setManagedOperatorState(
                        ofOperator((DefaultOperatorStateBackend) backends.get(i)));
            }
            task.putSubtaskStateByOperatorID(operators.get(i).getOperatorID(), state.build());
        }
        return InstantiationUtil.serializeObject(task);
    }

    /**
     * Why the state of some operator cannot leave, or that of others not come, with the remedy.
     *
     * @param others formats in which it may come
     * @return null: it can
     */
    @Nullable
    static String obstacle(OperatorChain<?, ?> chain, List<byte[]> others)
            throws IOException, ClassNotFoundException {
        List<TaskStateSnapshot> formats = new ArrayList<>();
        for (byte[] other : others) {
            formats.add(
                    InstantiationUtil.deserializeObject(other, StateFormat.class.getClassLoader()));
        }
        for (StreamOperator<?> operator : BroadcastTransfer.operators(chain)) {
            KeyedStateBackend<?> keyed = ElasticTimers.keyedStateBackend(operator);
            String obstacle =
                    keyed instanceof ElasticKeyedStateBackend
                            ? obstacle(
                                    ((ElasticKeyedStateBackend) keyed).units(),
                                    operator.getOperatorID(),
                                    formats)
                            : null;
            if (obstacle != null) {
                String name =
                        operator.getMetricGroup()
                                .getAllVariables()
                                .get(ScopeFormat.SCOPE_OPERATOR_NAME);
                return "operator '" + name + "' cannot be rescaled: " + obstacle;
            }
        }
        return null;
    }

    @Nullable
    private static String obstacle(
            UnitStore units, OperatorID operator, List<TaskStateSnapshot> formats)
            throws IOException {
        String obstacle = units.obstacle();
        for (TaskStateSnapshot format : formats) {
            for (KeyedStateHandle keys :
                    format.getSubtaskStateByOperatorID(operator).getManagedKeyedState()) {
                if (obstacle == null) {
                    try (InputStream in = ((KeyGroupsStateHandle) keys).openInputStream()) {
                        obstacle = units.obstacle(new DataInputViewStreamWrapper(in));
                    }
                }
            }
        }
        return obstacle;
    }

    private static KeyGroupsStateHandle ofKeys(ElasticKeyedStateBackend backend)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1024);
        backend.units().writeFormat(out);
        return new KeyGroupsStateHandle(
                new KeyGroupRangeOffsets(KeyGroupRange.EMPTY_KEY_GROUP_RANGE), handle(out));
    }

    private static OperatorStreamStateHandle ofOperator(DefaultOperatorStateBackend backend)
            throws IOException {
        List<StateMetaInfoSnapshot> lists = new ArrayList<>();
        for (PartitionableListState<?> list :
                registered(backend, "registeredOperatorStates", PartitionableListState.class)) {
            lists.add(list.getStateMetaInfo().snapshot());
        }
        List<StateMetaInfoSnapshot> broadcasts = new ArrayList<>();
        for (BackendWritableBroadcastState<?, ?> state :
                registered(
                        backend,
                        "registeredBroadcastStates",
                        BackendWritableBroadcastState.class)) {
            broadcasts.add(state.getStateMetaInfo().snapshot());
        }
        DataOutputSerializer out = new DataOutputSerializer(1024);
        OperatorStateHeader.write(lists, broadcasts, out);
        return new OperatorStreamStateHandle(Collections.emptyMap(), handle(out));
    }

    /** Flink tells the names of states only. */
    private static <T> List<? extends T> registered(
            DefaultOperatorStateBackend backend, String field, Class<T> type) {
        Map<?, ?> states =
                (Map<?, ?>)
                        ConnectorReflection.get(
                                backend, DefaultOperatorStateBackend.class.getName(), field);
        return states.values().stream().map(type::cast).collect(Collectors.toList());
    }

    private static StreamStateHandle handle(DataOutputSerializer out) {
        return new ByteStreamStateHandle(NAME, out.getCopyOfBuffer());
    }
}
