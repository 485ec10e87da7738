// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.plan.Assignment;
import io.meces.flink.runtime.CheckpointParts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * The incremental checkpoints of RocksDB in the state of an operator: each is a set of files with
 * the key-groups of one subtask, which cannot be read by key-group. So a subtask gets all of each
 * that has a key-group of its own, and deletes the rest. Immutable.
 *
 * <p>A backend that restores one set as it is goes on with its files under the id of the set. Two
 * that did so would overwrite each other's. So only a subtask that gets all key-groups of a set
 * gets it as it is; others get it with a range that is less than what a backend has, by which
 * Flink's restore takes a new id.
 */
final class FileSets {

    /** By what tells one from others: the same may be shown several times. */
    private final Map<List<?>, FileSet> sets = new LinkedHashMap<>();

    private FileSets() {}

    /** Takes time in proportion to the key-groups, the subtasks and the handles. */
    static FileSets of(
            OperatorState state,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind) {
        FileSets sets = new FileSets();
        if (state instanceof ElasticOperatorState) {
            ElasticOperatorState elastic = (ElasticOperatorState) state;
            Map<Integer, List<Integer>> owned = new HashMap<>();
            for (int g = 0; g < state.getMaxParallelism(); g++) {
                owned.computeIfAbsent(elastic.owner(g), subtask -> new ArrayList<>()).add(g);
            }
            elastic.asCollected()
                    .getSubtaskStates()
                    .forEach(
                            (subtask, part) ->
                                    sets.add(
                                            kind.apply(part),
                                            owned.getOrDefault(subtask, Collections.emptyList())));
        } else {
            state.getSubtaskStates()
                    .forEach(
                            (subtask, part) -> {
                                // what one is shown with; it may claim more
                                KeyGroupRange range =
                                        KeyGroupRangeAssignment
                                                .computeKeyGroupRangeForOperatorIndex(
                                                        state.getMaxParallelism(),
                                                        state.getParallelism(),
                                                        subtask);
                                sets.add(kind.apply(part), range);
                            });
        }
        return sets;
    }

    private void add(StateObjectCollection<KeyedStateHandle> handles, Iterable<Integer> has) {
        for (KeyedStateHandle handle : handles) {
            if (handle instanceof IncrementalRemoteKeyedStateHandle) {
                IncrementalRemoteKeyedStateHandle files =
                        (IncrementalRemoteKeyedStateHandle) handle;
                FileSet set =
                        sets.computeIfAbsent(
                                Arrays.asList(
                                        files.getBackendIdentifier(),
                                        files.getCheckpointId(),
                                        files.getKeyGroupRange()),
                                key -> new FileSet(files));
                has.forEach(set.keyGroups::add);
            }
        }
    }

    /** What each subtask of an assignment gets of them; its index is that of the subtask. */
    List<List<KeyedStateHandle>> shares(Assignment assignment) {
        List<List<KeyedStateHandle>> shares = new ArrayList<>();
        for (int i = 0; i < assignment.parallelism(); i++) {
            shares.add(new ArrayList<>());
        }
        for (FileSet set : sets.values()) {
            Map<Integer, List<Integer>> parts = new LinkedHashMap<>();
            for (int g : set.keyGroups) {
                parts.computeIfAbsent(assignment.owner(g), owner -> new ArrayList<>()).add(g);
            }
            parts.forEach(
                    (owner, part) ->
                            shares.get(owner)
                                    .add(
                                            parts.size() == 1
                                                    ? set.handle
                                                    : copy(set.handle, firstRun(part))));
        }
        return shares;
    }

    /** Those that follow each other without a gap. */
    private static KeyGroupRange firstRun(List<Integer> keyGroups) {
        int first = keyGroups.get(0);
        int length = 1;
        while (length < keyGroups.size() && keyGroups.get(length) == first + length) {
            length++;
        }
        return KeyGroupRange.of(first, first + length - 1);
    }

    /**
     * As it is shown for a range: with the claim that it has, as a stock Flink takes no more out of
     * the files than what is claimed for them to have; and a copy, since each is registered when a
     * JobManager reads it.
     *
     * @return null if it has nothing of the range
     */
    @Nullable
    static KeyedStateHandle whole(IncrementalRemoteKeyedStateHandle set, KeyGroupRange range) {
        return set.getIntersection(range) == null ? null : copy(set, set.getKeyGroupRange());
    }

    private static IncrementalRemoteKeyedStateHandle copy(
            IncrementalRemoteKeyedStateHandle set, KeyGroupRange claim) {
        return new IncrementalRemoteKeyedStateHandle(
                set.getBackendIdentifier(),
                claim,
                set.getCheckpointId(),
                set.getSharedState(),
                set.getPrivateState(),
                CheckpointParts.description(set));
    }

    /** One of them, and the key-groups that it has. */
    private static final class FileSet {

        final IncrementalRemoteKeyedStateHandle handle;
        final Set<Integer> keyGroups = new TreeSet<>();

        FileSet(IncrementalRemoteKeyedStateHandle handle) {
            this.handle = handle;
        }
    }
}
