// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.flink.runtime.CollectedOperatorState;
import io.meces.flink.runtime.OperatorStates;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StateObject;

/**
 * The state of an operator of an elastic vertex in a checkpoint. It collects what the active
 * subtasks report, each for the key-groups that it owns, and shows it as that of a job that was
 * never rescaled: to each subtask one contiguous range of key-groups, Flink's own for the
 * parallelism that is shown. So a stock Flink can restore it, at that parallelism (then Flink takes
 * the state of each subtask as it is) and at any other.
 *
 * <p>The metadata of a checkpoint has room for one handle of keyed state per subtask. So the
 * parallelism that is shown is the least one, from the number of active subtasks up, at which each
 * range lies within the key-groups of one owner. At the max parallelism, if not before, it does.
 *
 * <p>Not thread-safe, like Flink's own: guarded by the pending checkpoint, and read-only when that
 * is complete.
 */
public final class ElasticOperatorState extends CollectedOperatorState {
    private static final long serialVersionUID = 1L;

    private final int[] owners;
    private final int subtasks;
    private final List<OperatorStateHandle> carried;
    private final Map<Integer, OperatorSubtaskState> collected = new TreeMap<>();

    /** Whether the superclass has what was collected. */
    private boolean redistributed;

    /**
     * @param owners the subtask that owns each key-group, the index, when the checkpoint is taken
     * @param subtasks subtasks 0..subtasks-1 take part in the checkpoint
     * @param carried list state of subtasks that are gone, in memory; shown as that of further
     *     subtasks, for which the max parallelism must leave room
     */
    public ElasticOperatorState(
            OperatorID operator, int[] owners, int subtasks, List<OperatorStateHandle> carried) {
        super(operator, leastParallelism(owners, subtasks + carried.size()), owners.length);
        this.owners = owners.clone();
        this.subtasks = subtasks;
        this.carried = new ArrayList<>(carried);
    }

    /**
     * Puts an empty one into a checkpoint of which no task has been told yet, in the place of what
     * an operator's coordinator may have put there.
     */
    public static void prepare(
            PendingCheckpoint checkpoint,
            OperatorID operator,
            int[] owners,
            int subtasks,
            List<OperatorStateHandle> carried) {
        ElasticOperatorState state = new ElasticOperatorState(operator, owners, subtasks, carried);
        OperatorState coordinated = checkpoint.getOperatorStates().put(operator, state);
        if (coordinated != null && coordinated.getCoordinatorState() != null) {
            state.setCoordinatorState(coordinated.getCoordinatorState());
        }
    }

    /** Takes time in proportion to the places where the owner changes, most often. */
    private static int leastParallelism(int[] owners, int atLeast) {
        int[] changes =
                IntStream.range(1, owners.length).filter(g -> owners[g] != owners[g - 1]).toArray();
        int closest = owners.length;
        int before = 0;
        for (int change : changes) {
            closest = Math.min(closest, change - before);
            before = change;
        }
        closest = Math.min(closest, owners.length - before);
        // longer ranges do not fit between the two that are closest
        int parallelism = Math.max(atLeast, owners.length / (closest + 1) + 1);
        while (parallelism < owners.length && !fits(changes, parallelism, owners.length)) {
            parallelism++;
        }
        return parallelism;
    }

    /** Whether ranges begin wherever the owner changes. */
    private static boolean fits(int[] changes, int parallelism, int keyGroups) {
        for (int g : changes) {
            if (shownTo(g, parallelism, keyGroups) == shownTo(g - 1, parallelism, keyGroups)) {
                return false;
            }
        }
        return true;
    }

    private static int shownTo(int keyGroup, int parallelism, int keyGroups) {
        return KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                keyGroups, parallelism, keyGroup);
    }

    // ------------------------------------------------------------------------
    //  What was collected
    // ------------------------------------------------------------------------

    @Override
    public void putState(int subtask, OperatorSubtaskState state) {
        if (subtask < 0 || subtask >= subtasks) {
            throw new IndexOutOfBoundsException(
                    "Subtask " + subtask + " has no part in a checkpoint of " + subtasks);
        }
        collected.put(subtask, Objects.requireNonNull(state));
        redistributed = false;
    }

    /** How many subtasks it was collected from. */
    public int subtasks() {
        return subtasks;
    }

    /** As it was collected, and what is carried behind that, for who knows how to read it. */
    public OperatorState asCollected() {
        OperatorState state = OperatorStates.like(this, subtasks + carried.size());
        collected.forEach(state::putState);
        for (int i = 0; i < carried.size(); i++) {
            state.putState(
                    subtasks + i,
                    OperatorSubtaskState.builder().setManagedOperatorState(carried.get(i)).build());
        }
        return state;
    }

    /** The subtask that has a key-group in what was collected. */
    public int owner(int keyGroup) {
        return owners[keyGroup];
    }

    @Override
    protected Collection<OperatorSubtaskState> collected() {
        return collected.values();
    }

    @Override
    public long getStateSize() {
        long size = getCoordinatorState() == null ? 0 : getCoordinatorState().getStateSize();
        for (OperatorSubtaskState state : collected.values()) {
            size += state.getStateSize();
        }
        for (OperatorStateHandle handle : carried) {
            size += handle.getStateSize();
        }
        return size;
    }

    // ------------------------------------------------------------------------
    //  What is shown
    // ------------------------------------------------------------------------

    private void redistribute() {
        if (redistributed) {
            return;
        }
        redistributed = true;
        Map<KeyedStateHandle, KeyGroupSlices> cuts = new IdentityHashMap<>();
        for (int i = 0; i < getParallelism(); i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            getMaxParallelism(), getParallelism(), i);
            OperatorSubtaskState owner = collected.get(owners[range.getStartKeyGroup()]);
            OperatorSubtaskState.Builder shown = OperatorSubtaskState.builder();
            if (owner != null) {
                shown.setManagedKeyedState(
                        slices(
                                owner.getManagedKeyedState(),
                                range,
                                handle -> cuts.computeIfAbsent(handle, KeyGroupSlices::ofManaged)));
                shown.setRawKeyedState(
                        slices(
                                owner.getRawKeyedState(),
                                range,
                                handle -> cuts.computeIfAbsent(handle, KeyGroupSlices::ofRaw)));
            }
            OperatorSubtaskState own = collected.get(i);
            if (own != null) {
                shown.setManagedOperatorState(own.getManagedOperatorState());
                shown.setRawOperatorState(own.getRawOperatorState());
                shown.setInputChannelState(own.getInputChannelState());
                shown.setResultSubpartitionState(own.getResultSubpartitionState());
            } else if (i >= subtasks && i - subtasks < carried.size()) {
                shown.setManagedOperatorState(carried.get(i - subtasks));
            } else if (i >= subtasks && collected.containsKey(i % subtasks)) {
                OperatorSubtaskState other = collected.get(i % subtasks);
                shown.setManagedOperatorState(
                        map(
                                other.getManagedOperatorState(),
                                ElasticOperatorState::withoutElements));
            }
            OperatorSubtaskState state = shown.build();
            if (own != null || state.hasState()) {
                super.putState(i, state);
            }
        }
    }

    private static StateObjectCollection<KeyedStateHandle> slices(
            StateObjectCollection<KeyedStateHandle> handles,
            KeyGroupRange range,
            Function<KeyedStateHandle, KeyGroupSlices> cuts) {
        return map(handles, handle -> cuts.apply(handle).slice(range));
    }

    /**
     * What is with every subtask: broadcast state, and the format in which list state is written.
     * Who restores list state without elements has its serializer reconfigured as others have.
     */
    static OperatorStateHandle withoutElements(OperatorStateHandle handle) {
        return new OperatorStreamStateHandle(
                broadcastStates(handle), handle.getDelegateStateHandle());
    }

    /** Broadcast state alone. */
    public static StateObjectCollection<OperatorStateHandle> broadcast(
            Collection<OperatorStateHandle> handles) {
        return map(handles, ElasticOperatorState::broadcast);
    }

    @Nullable
    private static OperatorStateHandle broadcast(OperatorStateHandle handle) {
        Map<String, OperatorStateHandle.StateMetaInfo> states = broadcastStates(handle);
        return states.isEmpty()
                ? null
                : new OperatorStreamStateHandle(states, handle.getDelegateStateHandle());
    }

    private static Map<String, OperatorStateHandle.StateMetaInfo> broadcastStates(
            OperatorStateHandle handle) {
        Map<String, OperatorStateHandle.StateMetaInfo> states = new TreeMap<>();
        handle.getStateNameToPartitionOffsets()
                .forEach(
                        (name, info) -> {
                            if (info.getDistributionMode() == OperatorStateHandle.Mode.BROADCAST) {
                                states.put(name, info);
                            }
                        });
        return states;
    }

    private static <T extends StateObject> StateObjectCollection<T> map(
            Collection<T> handles, Function<T, T> change) {
        return new StateObjectCollection<>(
                handles.stream().map(change).filter(Objects::nonNull).collect(Collectors.toList()));
    }

    @Override
    public OperatorSubtaskState getState(int subtask) {
        redistribute();
        return super.getState(subtask);
    }

    @Override
    public Map<Integer, OperatorSubtaskState> getSubtaskStates() {
        redistribute();
        return super.getSubtaskStates();
    }

    @Override
    public Collection<OperatorSubtaskState> getStates() {
        redistribute();
        return super.getStates();
    }

    @Override
    public int getNumberCollectedStates() {
        redistribute();
        return super.getNumberCollectedStates();
    }

    @Override
    public boolean equals(Object other) {
        redistribute();
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        redistribute();
        return super.hashCode();
    }

    /** Checkpoint stores for high availability are to be readable without this class. */
    private Object writeReplace() {
        OperatorState plain = OperatorStates.like(this, getParallelism());
        plain.setCoordinatorState(getCoordinatorState());
        getSubtaskStates().forEach(plain::putState);
        return plain;
    }
}
