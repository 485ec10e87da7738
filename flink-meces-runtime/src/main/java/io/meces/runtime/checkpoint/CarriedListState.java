// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.id.OperatorId;
import io.meces.runtime.FlinkIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle.Mode;
import org.apache.flink.runtime.state.OperatorStateHandle.StateMetaInfo;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.IOUtils;

/**
 * Split and union list state of subtasks of a vertex that are gone. User functions take list state
 * only when they are restored, so it goes with every checkpoint until the next restore
 * redistributes it. Immutable, for any thread.
 */
public final class CarriedListState {

    /** Bytes per vertex; they are in the metadata of every checkpoint. */
    public static final long LIMIT = 16 << 20;

    private static final CarriedListState NONE = new CarriedListState(Collections.emptyMap());

    private final Map<OperatorID, List<Part>> operators;

    private CarriedListState(Map<OperatorID, List<Part>> operators) {
        this.operators = operators;
    }

    public static CarriedListState none() {
        return NONE;
    }

    /** One handle for each subtask that a checkpoint is to show besides the active ones. */
    public List<OperatorStateHandle> of(OperatorID operator) {
        List<OperatorStateHandle> handles = new ArrayList<>();
        operators
                .getOrDefault(operator, Collections.emptyList())
                .forEach(part -> handles.add(part.handle()));
        return handles;
    }

    /** The most handles that an operator has. */
    public int parts() {
        return operators.values().stream().mapToInt(List::size).max().orElse(0);
    }

    private long bytes() {
        return operators.values().stream()
                .flatMap(List::stream)
                .mapToLong(part -> part.bytes.length)
                .sum();
    }

    /**
     * This and what subtasks from..to-1 have in a checkpoint. Reads files.
     *
     * @param settled by operator, the name of a state that is not to be carried
     * @throws FlinkException if it cannot be carried; Flink can restore the checkpoint nevertheless
     */
    public CarriedListState with(
            CompletedCheckpoint checkpoint,
            Collection<OperatorID> ids,
            Map<OperatorId, String> settled,
            int from,
            int to)
            throws IOException, FlinkException {
        Map<OperatorID, List<Part>> all = new HashMap<>(operators);
        long bytes = bytes();
        for (OperatorID id : ids) {
            OperatorState state = checkpoint.getOperatorStates().get(id);
            List<Part> parts = new ArrayList<>(operators.getOrDefault(id, Collections.emptyList()));
            for (int i = from; state != null && i < to; i++) {
                OperatorSubtaskState subtask = state.getState(i);
                if (subtask == null) {
                    continue;
                }
                if (subtask.getRawOperatorState().hasState()) {
                    throw new FlinkException("Operator " + id + " has raw operator state.");
                }
                for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
                    if (hasElements(handle, settled.get(FlinkIds.of(id)))) {
                        bytes += handle.getStateSize();
                        if (bytes > LIMIT) {
                            throw new FlinkException(
                                    "The list state of subtasks that are gone exceeds "
                                            + LIMIT
                                            + " bytes.");
                        }
                        add(parts, Part.read(id, handle, settled.get(FlinkIds.of(id))));
                    }
                }
            }
            if (!parts.isEmpty()) {
                all.put(id, parts);
            }
        }
        return new CarriedListState(all);
    }

    private static boolean hasElements(OperatorStateHandle handle, @Nullable String settled) {
        return handle.getStateNameToPartitionOffsets().entrySet().stream()
                .anyMatch(
                        state ->
                                !state.getKey().equals(settled)
                                        && state.getValue().getDistributionMode() != Mode.BROADCAST
                                        && state.getValue().getOffsets().length > 0);
    }

    /** The metadata have room for one handle per subtask, so there should be few. */
    private static void add(List<Part> parts, Part part) {
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).isAlike(part)) {
                parts.set(i, parts.get(i).and(part));
                return;
            }
        }
        parts.add(part);
    }

    /** A stream of list state: a head that describes the states, then their elements. */
    private static final class Part {
        final byte[] bytes;
        private final int head;
        private final Map<String, StateMetaInfo> states;

        private Part(byte[] bytes, int head, Map<String, StateMetaInfo> states) {
            this.bytes = bytes;
            this.head = head;
            this.states = states;
        }

        /** Elements of the settled state stay in the bytes, where nobody finds them. */
        static Part read(OperatorID id, OperatorStateHandle handle, @Nullable String settled)
                throws IOException, FlinkException {
            Map<String, StateMetaInfo> states = new TreeMap<>();
            byte[] bytes = readAll(handle.getDelegateStateHandle());
            long head = bytes.length;
            for (Map.Entry<String, StateMetaInfo> state :
                    handle.getStateNameToPartitionOffsets().entrySet()) {
                if (state.getValue().getDistributionMode() == Mode.BROADCAST) {
                    throw new FlinkException(
                            "Operator " + id + " has list state and broadcast state.");
                }
                if (!state.getKey().equals(settled)) {
                    states.put(state.getKey(), state.getValue());
                }
                for (long offset : state.getValue().getOffsets()) {
                    head = Math.min(head, offset);
                }
            }
            return new Part(bytes, (int) head, states);
        }

        private static byte[] readAll(StreamStateHandle handle) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) handle.getStateSize());
            try (FSDataInputStream in = handle.openInputStream()) {
                IOUtils.copyBytes(in, bytes, false);
            }
            return bytes.toByteArray();
        }

        /** Whether one head can describe both. */
        boolean isAlike(Part other) {
            if (head != other.head || !states.keySet().equals(other.states.keySet())) {
                return false;
            }
            for (String name : states.keySet()) {
                if (states.get(name).getDistributionMode()
                        != other.states.get(name).getDistributionMode()) {
                    return false;
                }
            }
            return Arrays.equals(Arrays.copyOf(bytes, head), Arrays.copyOf(other.bytes, head));
        }

        Part and(Part other) {
            byte[] both = Arrays.copyOf(bytes, bytes.length + other.bytes.length - head);
            System.arraycopy(other.bytes, head, both, bytes.length, other.bytes.length - head);
            Map<String, StateMetaInfo> merged = new TreeMap<>();
            states.forEach(
                    (name, info) -> {
                        long[] own = info.getOffsets();
                        long[] more = other.states.get(name).getOffsets();
                        long[] offsets = Arrays.copyOf(own, own.length + more.length);
                        for (int i = 0; i < more.length; i++) {
                            offsets[own.length + i] = more[i] + bytes.length - head;
                        }
                        merged.put(name, new StateMetaInfo(offsets, info.getDistributionMode()));
                    });
            return new Part(both, head, merged);
        }

        OperatorStateHandle handle() {
            return new OperatorStreamStateHandle(
                    states, new ByteStreamStateHandle("carried-" + UUID.randomUUID(), bytes));
        }
    }
}
