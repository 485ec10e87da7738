// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.checkpoint;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.InternalExecutionGraphAccessor;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.scheduler.strategy.ConsumedPartitionGroup;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/**
 * Bridge: which tasks take part in a checkpoint of a job that has subtasks which are not connected.
 * As Flink's own, but those need not run. They are waited for all the same, as they may begin to
 * run before tasks hear of the checkpoint; if they do not, somebody acknowledges it for them.
 *
 * <p>Flink makes its coordinator with its own calculator, and has no hook for another one; so this
 * is put into the field. Called by the coordinator, computes in the JobMaster's main thread.
 */
public final class ElasticCheckpointPlans implements CheckpointPlanCalculator {

    private final ExecutionGraph graph;
    private final Predicate<ExecutionVertexID> connected;

    private ElasticCheckpointPlans(ExecutionGraph graph, Predicate<ExecutionVertexID> connected) {
        this.graph = graph;
        this.connected = connected;
    }

    /**
     * Has the coordinator of a job go by this.
     *
     * @param connected whether a subtask has to run or to have finished; asked in the main thread
     */
    public static void putInto(ExecutionGraph graph, Predicate<ExecutionVertexID> connected)
            throws ReflectiveOperationException {
        CheckpointCoordinator coordinator = graph.getCheckpointCoordinator();
        if (coordinator != null) {
            Field calculator =
                    CheckpointCoordinator.class.getDeclaredField("checkpointPlanCalculator");
            calculator.setAccessible(true);
            calculator.set(coordinator, new ElasticCheckpointPlans(graph, connected));
        }
    }

    @Override
    public CompletableFuture<CheckpointPlan> calculateCheckpointPlan() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return new Parts().plan();
                    } catch (CheckpointException e) {
                        throw new CompletionException(e);
                    }
                },
                ((InternalExecutionGraphAccessor) graph).getJobMasterMainThreadExecutor());
    }

    private static CheckpointException decline(String why) {
        return new CheckpointException(why, CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING);
    }

    /**
     * Of a vertex with union list state Flink completes a checkpoint only if the operators of all
     * subtasks have finished, or those of none. Those of a subtask that is not there have if any
     * has.
     */
    private static final class Plan extends DefaultCheckpointPlan {
        private final Set<ExecutionVertex> absent;
        private final Set<ExecutionJobVertex> ending = new HashSet<>();

        Plan(Parts of) {
            super(of.trigger, of.await, of.commit, of.finished, of.over, of.mayFinish);
            absent = of.absent;
        }

        @Override
        public void reportTaskHasFinishedOperators(ExecutionVertex task) {
            super.reportTaskHasFinishedOperators(task);
            absent.remove(task);
            ending.add(task.getJobVertex());
        }

        @Override
        public void fulfillFinishedTaskStatus(Map<OperatorID, OperatorState> states) {
            for (ExecutionVertex subtask : absent) {
                if (ending.contains(subtask.getJobVertex())) {
                    super.reportTaskHasFinishedOperators(subtask);
                }
            }
            super.fulfillFinishedTaskStatus(states);
        }
    }

    /** What a plan is made of. */
    private final class Parts {
        private final List<Execution> trigger = new ArrayList<>();
        private final List<Execution> await = new ArrayList<>();
        private final List<ExecutionVertex> commit = new ArrayList<>();
        private final List<Execution> finished = new ArrayList<>();
        private final List<ExecutionJobVertex> over = new ArrayList<>();
        private final Set<ExecutionVertex> absent = new HashSet<>();
        private final boolean mayFinish =
                graph.getCheckpointCoordinatorConfiguration().isEnableCheckpointsAfterTasksFinish();

        /** Whether any producer still runs, by what a task reads. */
        private final Map<ConsumedPartitionGroup, Boolean> fed = new IdentityHashMap<>();

        CheckpointPlan plan() throws CheckpointException {
            for (ExecutionJobVertex vertex : graph.getVerticesTopologically()) {
                add(vertex);
            }
            return new Plan(this);
        }

        private void add(ExecutionJobVertex vertex) throws CheckpointException {
            List<ExecutionVertex> alive = new ArrayList<>();
            boolean runs = false;
            for (ExecutionVertex subtask : vertex.getTaskVertices()) {
                Execution attempt = subtask.getCurrentExecutionAttempt();
                if (!connected.test(subtask.getID())) {
                    alive.add(subtask);
                    absent.add(subtask);
                } else if (attempt.getState() == ExecutionState.FINISHED) {
                    if (!mayFinish) {
                        throw decline(
                                subtask.getTaskNameWithSubtaskIndex()
                                        + " has finished, and checkpoints with finished tasks are"
                                        + " not enabled.");
                    }
                    finished.add(attempt);
                } else if (attempt.getState() == ExecutionState.RUNNING) {
                    alive.add(subtask);
                    runs = true;
                } else {
                    throw decline(
                            subtask.getTaskNameWithSubtaskIndex()
                                    + " does not run, it is "
                                    + attempt.getState());
                }
            }
            if (!runs) {
                over.add(vertex);
                // Flink counts all subtasks, also those that are not there
                alive.forEach(subtask -> finished.add(subtask.getCurrentExecutionAttempt()));
                return;
            }
            for (ExecutionVertex subtask : alive) {
                Execution attempt = subtask.getCurrentExecutionAttempt();
                await.add(attempt);
                commit.add(subtask);
                if (attempt.getState() == ExecutionState.RUNNING && !isFed(subtask)) {
                    trigger.add(attempt);
                }
            }
        }

        /** Barriers come from producers that run, and from nobody else. */
        private boolean isFed(ExecutionVertex subtask) {
            for (ConsumedPartitionGroup input : subtask.getAllConsumedPartitionGroups()) {
                if (fed.computeIfAbsent(input, this::hasRunningProducer)) {
                    return true;
                }
            }
            return false;
        }

        private boolean hasRunningProducer(ConsumedPartitionGroup input) {
            for (IntermediateResultPartitionID partition : input) {
                ExecutionVertex producer =
                        ((InternalExecutionGraphAccessor) graph)
                                .getResultPartitionOrThrow(partition)
                                .getProducer();
                if (connected.test(producer.getID())
                        && producer.getExecutionState() == ExecutionState.RUNNING) {
                    return true;
                }
            }
            return false;
        }
    }
}
