// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.plan.Assignment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * What the subtasks of a vertex get of the keyed state of a checkpoint, by an assignment. Owned by
 * one thread.
 *
 * <p>A checkpoint of this JobManager is taken as it was collected, each key-group from the handle
 * of its owner: what is shown to others has as many handles as there are ranges. The shares of all
 * subtasks are determined together, when the first one is asked for: for each operator that takes
 * time in proportion to the key-groups, the subtasks and the handles.
 */
public final class KeyedStateShares {

    private final Assignment assignment;

    /** By operator, whose state may be costly to compare: what each subtask gets. */
    private final Map<OperatorState, List<OperatorSubtaskState>> shares = new IdentityHashMap<>();

    public KeyedStateShares(Assignment assignment) {
        this.assignment = assignment;
    }

    /** Whether each key-group stays with the subtask that it was collected from. */
    boolean keepsOwners(ElasticOperatorState state) {
        return IntStream.range(0, state.getMaxParallelism())
                .allMatch(keyGroup -> state.owner(keyGroup) == assignment.owner(keyGroup));
    }

    /** What a subtask gets of one kind of keyed state. */
    public StateObjectCollection<KeyedStateHandle> of(
            OperatorState state,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind,
            int subtask) {
        // active ones may own nothing
        return subtask < assignment.parallelism()
                ? kind.apply(shares.computeIfAbsent(state, this::ofAll).get(subtask))
                : StateObjectCollection.empty();
    }

    private List<OperatorSubtaskState> ofAll(OperatorState state) {
        List<List<KeyedStateHandle>> managed =
                ofAll(state, OperatorSubtaskState::getManagedKeyedState);
        List<List<KeyedStateHandle>> raw = ofAll(state, OperatorSubtaskState::getRawKeyedState);
        List<OperatorSubtaskState> all = new ArrayList<>();
        for (int i = 0; i < assignment.parallelism(); i++) {
            all.add(
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(new StateObjectCollection<>(managed.get(i)))
                            .setRawKeyedState(new StateObjectCollection<>(raw.get(i)))
                            .build());
        }
        return all;
    }

    private List<List<KeyedStateHandle>> ofAll(
            OperatorState state,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind) {
        List<List<KeyedStateHandle>> shares = FileSets.of(state, kind).shares(assignment);
        if (state instanceof ElasticOperatorState) {
            ElasticOperatorState elastic = (ElasticOperatorState) state;
            OperatorState collected = elastic.asCollected();
            for (KeyGroupRange range : ranges(elastic::owner).values()) {
                OperatorSubtaskState part =
                        collected.getState(elastic.owner(range.getStartKeyGroup()));
                if (part != null) {
                    StateAssignmentOperation.extractIntersectingState(
                            streams(kind.apply(part)), range, shares.get(owner(range)));
                }
            }
        } else {
            NavigableMap<Integer, KeyGroupRange> ranges = ranges(keyGroup -> 0);
            for (OperatorSubtaskState part : state.getStates()) {
                for (KeyedStateHandle handle : streams(kind.apply(part))) {
                    KeyGroupRange has = handle.getKeyGroupRange();
                    for (KeyGroupRange range :
                            ranges.tailMap(has.getStartKeyGroup(), true).values()) {
                        if (range.getStartKeyGroup() > has.getEndKeyGroup()) {
                            break;
                        }
                        shares.get(owner(range)).add(handle.getIntersection(range));
                    }
                }
            }
        }
        return shares;
    }

    private int owner(KeyGroupRange range) {
        return assignment.owner(range.getStartKeyGroup());
    }

    /** Those that can be read by key-group. */
    private static List<KeyedStateHandle> streams(Collection<KeyedStateHandle> handles) {
        List<KeyedStateHandle> streams = new ArrayList<>(handles);
        streams.removeIf(IncrementalRemoteKeyedStateHandle.class::isInstance);
        return streams;
    }

    /** All key-groups, in ranges with one owner and one source each, by their last key-group. */
    private NavigableMap<Integer, KeyGroupRange> ranges(IntUnaryOperator source) {
        NavigableMap<Integer, KeyGroupRange> ranges = new TreeMap<>();
        int first = 0;
        for (int g = 0; g < assignment.keyGroups(); g++) {
            boolean isLast =
                    g + 1 == assignment.keyGroups()
                            || assignment.owner(g + 1) != assignment.owner(g)
                            || source.applyAsInt(g + 1) != source.applyAsInt(g);
            if (isLast) {
                ranges.put(g, KeyGroupRange.of(first, g));
                first = g + 1;
            }
        }
        return ranges;
    }
}
