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

package org.apache.flink.runtime.scheduler;

import io.meces.runtime.plan.Assignment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.JobManagerTaskRestore;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;

/**
 * Deals out restored state by an assignment. Flink leaves state where it was if the parallelism is
 * unchanged, or spreads it over the whole capacity; neither is right for a vertex of which only
 * some subtasks are active. Owned by the JobMaster's main thread.
 */
final class KeyedStateDealer {

    private final ExecutionVertex[] subtasks;
    private final Assignment assignment;
    private final int active;

    KeyedStateDealer(ExecutionVertex[] subtasks, Assignment assignment, int active) {
        this.subtasks = subtasks;
        this.assignment = assignment;
        this.active = active;
    }

    void deal() {
        Map<OperatorID, Gathered> operators = new HashMap<>();
        long checkpoint = -1;
        for (int i = 0; i < subtasks.length; i++) {
            JobManagerTaskRestore restore =
                    subtasks[i].getCurrentExecutionAttempt().getTaskRestore();
            if (restore != null) {
                checkpoint = restore.getRestoreCheckpointId();
                for (Map.Entry<OperatorID, OperatorSubtaskState> e :
                        restore.getTaskStateSnapshot().getSubtaskStateMappings()) {
                    operators
                            .computeIfAbsent(e.getKey(), id -> new Gathered())
                            .add(i, e.getValue());
                }
            }
        }
        if (checkpoint < 0) {
            return;
        }
        for (int i = 0; i < subtasks.length; i++) {
            if (i >= active) {
                // or a later activation would restore it
                subtasks[i].getCurrentExecutionAttempt().setInitialState(null);
                continue;
            }
            TaskStateSnapshot share = new TaskStateSnapshot();
            for (Map.Entry<OperatorID, Gathered> e : operators.entrySet()) {
                share.putSubtaskStateByOperatorID(e.getKey(), e.getValue().shareOf(i));
            }
            subtasks[i]
                    .getCurrentExecutionAttempt()
                    .setInitialState(new JobManagerTaskRestore(checkpoint, share));
        }
    }

    private List<KeyGroupRange> rangesOf(int subtask) {
        List<KeyGroupRange> ranges = new ArrayList<>();
        for (int g = 0; g < assignment.keyGroups(); g++) {
            if (assignment.owner(g) == subtask) {
                int last = g;
                while (last + 1 < assignment.keyGroups() && assignment.owner(last + 1) == subtask) {
                    last++;
                }
                ranges.add(KeyGroupRange.of(g, last));
                g = last;
            }
        }
        return ranges;
    }

    /** The state of one operator, of all subtasks. */
    private final class Gathered {

        private final List<KeyedStateHandle> managedKeyed = new ArrayList<>();
        private final List<KeyedStateHandle> rawKeyed = new ArrayList<>();
        private final Map<Integer, OperatorSubtaskState> bySubtask = new HashMap<>();

        void add(int subtask, OperatorSubtaskState state) {
            managedKeyed.addAll(state.getManagedKeyedState());
            rawKeyed.addAll(state.getRawKeyedState());
            bySubtask.put(subtask, state);
        }

        OperatorSubtaskState shareOf(int subtask) {
            OperatorSubtaskState own = bySubtask.get(subtask);
            List<OperatorStateHandle> operatorState = new ArrayList<>();
            if (own != null) {
                operatorState.addAll(own.getManagedOperatorState());
            }
            // what Flink has dealt to subtasks that are not active
            for (int i = active; i < subtasks.length; i++) {
                if (i % active == subtask && bySubtask.containsKey(i)) {
                    for (OperatorStateHandle h : bySubtask.get(i).getManagedOperatorState()) {
                        addSplit(h, operatorState);
                    }
                }
            }
            OperatorSubtaskState.Builder share =
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(intersect(managedKeyed, subtask))
                            .setRawKeyedState(intersect(rawKeyed, subtask))
                            .setManagedOperatorState(new StateObjectCollection<>(operatorState));
            if (own != null) {
                share.setRawOperatorState(own.getRawOperatorState())
                        .setInputChannelState(own.getInputChannelState())
                        .setResultSubpartitionState(own.getResultSubpartitionState())
                        .setInputRescalingDescriptor(own.getInputRescalingDescriptor())
                        .setOutputRescalingDescriptor(own.getOutputRescalingDescriptor());
            }
            return share.build();
        }

        /** Union and broadcast state is with every subtask anyway. */
        private void addSplit(OperatorStateHandle handle, List<OperatorStateHandle> out) {
            Map<String, OperatorStateHandle.StateMetaInfo> split = new HashMap<>();
            handle.getStateNameToPartitionOffsets()
                    .forEach(
                            (name, info) -> {
                                if (info.getDistributionMode()
                                        == OperatorStateHandle.Mode.SPLIT_DISTRIBUTE) {
                                    split.put(name, info);
                                }
                            });
            if (!split.isEmpty()) {
                out.add(new OperatorStreamStateHandle(split, handle.getDelegateStateHandle()));
            }
        }

        private StateObjectCollection<KeyedStateHandle> intersect(
                Collection<KeyedStateHandle> handles, int subtask) {
            List<KeyedStateHandle> share = new ArrayList<>();
            for (KeyGroupRange range : rangesOf(subtask)) {
                for (KeyedStateHandle handle : handles) {
                    KeyedStateHandle part = handle.getIntersection(range);
                    if (part != null) {
                        share.add(part);
                    }
                }
            }
            return new StateObjectCollection<>(share);
        }
    }
}
