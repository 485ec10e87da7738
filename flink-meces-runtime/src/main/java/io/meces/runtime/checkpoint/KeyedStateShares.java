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
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * What the subtasks of a vertex get of the keyed state of a checkpoint, by an assignment.
 * Immutable.
 *
 * <p>A checkpoint of this JobManager is taken as it was collected, each key-group from the handle
 * of its owner: what is shown to others has as many handles as there are ranges. Any checkpoint
 * takes time in proportion to the key-groups and to the handles, for each subtask.
 */
public final class KeyedStateShares {

    private final Assignment assignment;

    public KeyedStateShares(Assignment assignment) {
        this.assignment = assignment;
    }

    /** What a subtask gets of one kind of keyed state. */
    public StateObjectCollection<KeyedStateHandle> of(
            OperatorState state,
            Function<OperatorSubtaskState, StateObjectCollection<KeyedStateHandle>> kind,
            int subtask) {
        List<KeyedStateHandle> share =
                new ArrayList<>(FileSets.of(state, kind, assignment).shareOf(subtask));
        if (state instanceof ElasticOperatorState) {
            ElasticOperatorState elastic = (ElasticOperatorState) state;
            OperatorState collected = elastic.asCollected();
            for (KeyGroupRange range : rangesOf(subtask, elastic::owner).values()) {
                OperatorSubtaskState part =
                        collected.getState(elastic.owner(range.getStartKeyGroup()));
                if (part != null) {
                    StateAssignmentOperation.extractIntersectingState(
                            streams(kind.apply(part)), range, share);
                }
            }
        } else {
            NavigableMap<Integer, KeyGroupRange> ranges = rangesOf(subtask, keyGroup -> 0);
            for (OperatorSubtaskState part : state.getStates()) {
                for (KeyedStateHandle handle : streams(kind.apply(part))) {
                    KeyGroupRange has = handle.getKeyGroupRange();
                    for (KeyGroupRange range :
                            ranges.tailMap(has.getStartKeyGroup(), true).values()) {
                        if (range.getStartKeyGroup() > has.getEndKeyGroup()) {
                            break;
                        }
                        share.add(handle.getIntersection(range));
                    }
                }
            }
        }
        return new StateObjectCollection<>(share);
    }

    /** Those that can be read by key-group. */
    private static List<KeyedStateHandle> streams(Collection<KeyedStateHandle> handles) {
        List<KeyedStateHandle> streams = new ArrayList<>(handles);
        streams.removeIf(IncrementalRemoteKeyedStateHandle.class::isInstance);
        return streams;
    }

    /** The key-groups of a subtask, in ranges with one source each, by their last key-group. */
    private NavigableMap<Integer, KeyGroupRange> rangesOf(int subtask, IntUnaryOperator source) {
        NavigableMap<Integer, KeyGroupRange> ranges = new TreeMap<>();
        for (int g = 0; g < assignment.keyGroups(); g++) {
            if (assignment.owner(g) == subtask) {
                int last = g;
                while (last + 1 < assignment.keyGroups()
                        && assignment.owner(last + 1) == subtask
                        && source.applyAsInt(last + 1) == source.applyAsInt(g)) {
                    last++;
                }
                ranges.put(last, KeyGroupRange.of(g, last));
                g = last;
            }
        }
        return ranges;
    }
}
