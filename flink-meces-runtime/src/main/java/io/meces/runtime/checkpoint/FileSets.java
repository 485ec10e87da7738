/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.checkpoint;

import io.meces.core.plan.Assignment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private final Assignment assignment;

    private FileSets(Assignment assignment) {
        this.assignment = assignment;
    }

    static FileSets of(
            OperatorState state,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind,
            Assignment assignment) {
        FileSets sets = new FileSets(assignment);
        if (state instanceof ElasticOperatorState) {
            ElasticOperatorState elastic = (ElasticOperatorState) state;
            elastic.asCollected()
                    .getSubtaskStates()
                    .forEach(
                            (subtask, part) -> {
                                BitSet owned = new BitSet();
                                for (int g = 0; g < assignment.keyGroups(); g++) {
                                    owned.set(g, elastic.owner(g) == subtask);
                                }
                                sets.add(kind.apply(part), owned);
                            });
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
                                BitSet shown = new BitSet();
                                shown.set(range.getStartKeyGroup(), range.getEndKeyGroup() + 1);
                                sets.add(kind.apply(part), shown);
                            });
        }
        return sets;
    }

    private void add(StateObjectCollection<KeyedStateHandle> handles, BitSet has) {
        for (KeyedStateHandle handle : handles) {
            if (handle instanceof IncrementalRemoteKeyedStateHandle) {
                IncrementalRemoteKeyedStateHandle files =
                        (IncrementalRemoteKeyedStateHandle) handle;
                sets.computeIfAbsent(
                                Arrays.asList(
                                        files.getBackendIdentifier(),
                                        files.getCheckpointId(),
                                        files.getKeyGroupRange()),
                                key -> new FileSet(files))
                        .keyGroups
                        .or(has);
            }
        }
    }

    List<KeyedStateHandle> shareOf(int subtask) {
        List<KeyedStateHandle> share = new ArrayList<>();
        for (FileSet set : sets.values()) {
            BitSet mine = new BitSet();
            set.keyGroups.stream().filter(g -> assignment.owner(g) == subtask).forEach(mine::set);
            if (mine.isEmpty()) {
                continue;
            }
            int first = mine.nextSetBit(0);
            share.add(
                    mine.equals(set.keyGroups)
                            ? set.handle
                            : copy(
                                    set.handle,
                                    KeyGroupRange.of(first, mine.nextClearBit(first) - 1)));
        }
        return share;
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
                set.getMetaStateHandle());
    }

    /** One of them, and the key-groups that it has. */
    private static final class FileSet {

        final IncrementalRemoteKeyedStateHandle handle;
        final BitSet keyGroups = new BitSet();

        FileSet(IncrementalRemoteKeyedStateHandle handle) {
            this.handle = handle;
        }
    }
}
