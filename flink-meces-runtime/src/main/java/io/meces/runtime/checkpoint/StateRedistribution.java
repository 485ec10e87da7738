// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.plan.Assignment;
import io.meces.flink.runtime.CheckpointParts;
import io.meces.flink.runtime.RecordsInFlight;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.JobManagerTaskRestore;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.RoundRobinOperatorStateRepartitioner;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.OperatorInstanceID;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateObject;

/**
 * Redistributes the state of a checkpoint to the active subtasks of a vertex: keyed state by an
 * assignment, operator state as Flink would at that parallelism. Flink has spread it over the whole
 * capacity before. Owned by the JobMaster's main thread.
 *
 * <p>Subtasks that were activated after the checkpoint begin as they did then: without list state,
 * but in the format in which others write it. So a sink does not take them for subtasks that it has
 * known, and ends what they had begun.
 */
public final class StateRedistribution {

    private final ExecutionJobVertex vertex;
    private final KeyedStateShares keyed;
    private final int active;

    public StateRedistribution(ExecutionJobVertex vertex, Assignment assignment, int active) {
        this.vertex = vertex;
        this.keyed = new KeyedStateShares(assignment);
        this.active = active;
    }

    /** The checkpoint from which Flink has restored a vertex; null if from none. */
    @Nullable
    public static CompletedCheckpoint restored(
            ExecutionJobVertex vertex, CheckpointCoordinator coordinator) throws Exception {
        for (ExecutionVertex subtask : vertex.getTaskVertices()) {
            JobManagerTaskRestore restore = subtask.getCurrentExecutionAttempt().getTaskRestore();
            if (restore != null) {
                return find(restore.getRestoreCheckpointId(), coordinator);
            }
        }
        return null;
    }

    /** A checkpoint that has been stored. Any thread. */
    public static CompletedCheckpoint find(long id, CheckpointCoordinator coordinator)
            throws Exception {
        for (CompletedCheckpoint checkpoint : coordinator.getSuccessfulCheckpoints()) {
            if (checkpoint.getCheckpointID() == id) {
                return checkpoint;
            }
        }
        throw new IllegalStateException("Checkpoint " + id + " is gone.");
    }

    /** Whether an unaligned checkpoint has stored records in flight. */
    public static boolean hasChannelState(CompletedCheckpoint checkpoint) {
        return checkpoint.getOperatorStates().values().stream()
                .flatMap(state -> state.getStates().stream())
                .anyMatch(RecordsInFlight::areIn);
    }

    /** Whether a checkpoint has state of a backend with a changelog. */
    public static boolean hasChangelog(CompletedCheckpoint checkpoint) {
        return checkpoint.getOperatorStates().values().stream()
                .anyMatch(CheckpointParts::hasChangelog);
    }

    /** How much keyed state a vertex has in a checkpoint, in bytes. */
    public static long keyedBytes(CompletedCheckpoint checkpoint, ExecutionJobVertex vertex) {
        long bytes = 0;
        // subtasks may share a file, each with other key-groups of it
        Set<StateObject> files = new HashSet<>();
        for (OperatorIDPair pair : vertex.getOperatorIDs()) {
            OperatorState state = checkpoint.getOperatorStates().get(pair.getGeneratedOperatorID());
            if (state == null) {
                continue;
            }
            for (OperatorSubtaskState part : collected(state).getStates()) {
                for (KeyedStateHandle handle : part.getManagedKeyedState()) {
                    StateObject file =
                            handle instanceof KeyGroupsStateHandle
                                    ? ((KeyGroupsStateHandle) handle).getDelegateStateHandle()
                                    : handle;
                    if (files.add(file)) {
                        bytes += file.getStateSize();
                    }
                }
            }
        }
        return bytes;
    }

    /** How many subtasks a checkpoint has, as far as it tells; 0 if it does not. */
    public int subtasks(CompletedCheckpoint checkpoint) {
        return statesOf(checkpoint).values().stream()
                .filter(ElasticOperatorState.class::isInstance)
                .mapToInt(state -> ((ElasticOperatorState) state).subtasks())
                .max()
                .orElse(0);
    }

    /**
     * @param firstUnknown subtasks from this one on were activated after the checkpoint
     */
    public void apply(CompletedCheckpoint checkpoint, int firstUnknown) {
        int known = Math.min(active, firstUnknown);
        Map<OperatorID, OperatorState> states = statesOf(checkpoint);
        if (states.values().stream().anyMatch(CheckpointParts::isFinished)) {
            // Flink has told all subtasks that they have finished
            for (int i = active; i < vertex.getParallelism(); i++) {
                vertex.getTaskVertices()[i].getCurrentExecutionAttempt().setInitialState(null);
            }
            return;
        }
        Map<OperatorInstanceID, List<OperatorStateHandle>> managed =
                operatorState(states, known, OperatorSubtaskState::getManagedOperatorState);
        states.forEach((id, state) -> addFormat(id, state, managed));
        Map<OperatorInstanceID, List<OperatorStateHandle>> raw =
                operatorState(states, known, OperatorSubtaskState::getRawOperatorState);
        ExecutionVertex[] subtasks = vertex.getTaskVertices();
        for (int i = 0; i < subtasks.length; i++) {
            JobManagerTaskRestore restore = null;
            // a later activation of the others must not restore anything
            if (i < active) {
                TaskStateSnapshot share = new TaskStateSnapshot();
                for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                    OperatorID id = pair.getGeneratedOperatorID();
                    OperatorInstanceID instance = OperatorInstanceID.of(i, id);
                    OperatorState state = states.get(id);
                    OperatorSubtaskState.Builder part = OperatorSubtaskState.builder();
                    if (state != null) {
                        part.setManagedKeyedState(
                                        keyed.of(
                                                state,
                                                OperatorSubtaskState::getManagedKeyedState,
                                                i))
                                .setRawKeyedState(
                                        keyed.of(state, OperatorSubtaskState::getRawKeyedState, i))
                                .setManagedOperatorState(
                                        new StateObjectCollection<>(managed.get(instance)))
                                .setRawOperatorState(
                                        new StateObjectCollection<>(raw.get(instance)));
                    }
                    share.putSubtaskStateByOperatorID(id, withInFlight(part.build(), state, i));
                }
                if (share.hasState()) {
                    restore = new JobManagerTaskRestore(checkpoint.getCheckpointID(), share);
                }
            }
            subtasks[i].getCurrentExecutionAttempt().setInitialState(restore);
        }
    }

    private static OperatorSubtaskState withInFlight(
            OperatorSubtaskState assigned, @Nullable OperatorState state, int subtask) {
        OperatorState collected = state == null ? null : collected(state);
        OperatorSubtaskState stored =
                // others were activated after the checkpoint
                collected == null || subtask >= collected.getParallelism()
                        ? null
                        : collected.getState(subtask);
        return stored == null ? assigned : CheckpointParts.withInFlight(assigned, stored);
    }

    /**
     * Gives each subtask of a vertex that is not elastic what it had in flight. Flink has divided
     * that by the capacity of the vertices next to it.
     */
    public static void restoreInFlight(CompletedCheckpoint checkpoint, ExecutionJobVertex vertex) {
        Map<OperatorID, OperatorState> states = statesOf(checkpoint, vertex);
        if (states.values().stream().anyMatch(CheckpointParts::isFinished)) {
            return;
        }
        for (ExecutionVertex subtask : vertex.getTaskVertices()) {
            Execution attempt = subtask.getCurrentExecutionAttempt();
            JobManagerTaskRestore assigned = attempt.getTaskRestore();
            if (assigned == null) {
                continue;
            }
            TaskStateSnapshot share = new TaskStateSnapshot();
            assigned.getTaskStateSnapshot()
                    .getSubtaskStateMappings()
                    .forEach(
                            part ->
                                    share.putSubtaskStateByOperatorID(
                                            part.getKey(),
                                            withInFlight(
                                                    part.getValue(),
                                                    states.get(part.getKey()),
                                                    subtask.getParallelSubtaskIndex())));
            attempt.setInitialState(new JobManagerTaskRestore(checkpoint.getCheckpointID(), share));
        }
    }

    /** Fails if key-groups are not where they were when records in flight were routed. */
    public void checkUnchanged(CompletedCheckpoint checkpoint) {
        for (OperatorState state : statesOf(checkpoint, vertex).values()) {
            if (state instanceof ElasticOperatorState
                    && !keyed.keepsOwners((ElasticOperatorState) state)) {
                throw new IllegalStateException(
                        "Records in flight of checkpoint "
                                + checkpoint.getCheckpointID()
                                + " cannot be restored under another assignment of key-groups.");
            }
        }
    }

    private Map<OperatorID, OperatorState> statesOf(CompletedCheckpoint checkpoint) {
        return statesOf(checkpoint, vertex);
    }

    /** The states of a vertex in a checkpoint, by generated id. */
    private static Map<OperatorID, OperatorState> statesOf(
            CompletedCheckpoint checkpoint, ExecutionJobVertex vertex) {
        Map<OperatorID, OperatorState> states = new LinkedHashMap<>();
        for (OperatorIDPair pair : vertex.getOperatorIDs()) {
            OperatorState state =
                    checkpoint
                            .getOperatorStates()
                            .get(
                                    pair.getUserDefinedOperatorID()
                                            .orElse(pair.getGeneratedOperatorID()));
            if (state != null) {
                states.put(pair.getGeneratedOperatorID(), state);
            }
        }
        return states;
    }

    /**
     * Has subtasks that get nothing of an operator's state restore in which format it is written.
     * Their serializers would not be reconfigured, and a later restore would misread what they
     * write.
     */
    private void addFormat(
            OperatorID id,
            OperatorState state,
            Map<OperatorInstanceID, List<OperatorStateHandle>> redistributed) {
        List<OperatorStateHandle> format = format(collected(state));
        for (int i = 0; i < active; i++) {
            redistributed.compute(
                    OperatorInstanceID.of(i, id),
                    (instance, handles) -> handles == null || handles.isEmpty() ? format : handles);
        }
    }

    /** Each handle describes all states of its operator: any will do. */
    private static List<OperatorStateHandle> format(OperatorState collected) {
        return collected.getStates().stream()
                .flatMap(part -> part.getManagedOperatorState().stream())
                .limit(1)
                .map(ElasticOperatorState::withoutElements)
                .collect(Collectors.toList());
    }

    /** At an unchanged parallelism each subtask keeps its own. */
    private static OperatorState collected(OperatorState state) {
        return state instanceof ElasticOperatorState
                ? ((ElasticOperatorState) state).asCollected()
                : state;
    }

    private Map<OperatorInstanceID, List<OperatorStateHandle>> operatorState(
            Map<OperatorID, OperatorState> states,
            int known,
            Function<OperatorSubtaskState, StateObjectCollection<OperatorStateHandle>> kind) {
        Map<OperatorID, OperatorState> collected = new HashMap<>();
        states.forEach((id, state) -> collected.put(id, collected(state)));
        Map<OperatorInstanceID, List<OperatorStateHandle>> redistributed = new HashMap<>();
        StateAssignmentOperation.reDistributePartitionableStates(
                collected,
                known,
                kind,
                RoundRobinOperatorStateRepartitioner.INSTANCE,
                redistributed);
        for (OperatorID id : states.keySet()) {
            List<OperatorStateHandle> first = redistributed.get(OperatorInstanceID.of(0, id));
            for (int i = known; i < active; i++) {
                redistributed.put(
                        OperatorInstanceID.of(i, id),
                        new ArrayList<>(
                                ElasticOperatorState.broadcast(
                                        first == null ? Collections.emptyList() : first)));
            }
        }
        return redistributed;
    }
}
