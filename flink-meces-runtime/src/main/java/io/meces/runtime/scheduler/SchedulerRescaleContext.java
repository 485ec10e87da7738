// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.checkpoint.SubtaskCancellation;
import io.meces.core.command.StateDescription;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobState;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleMetrics;
import io.meces.flink.runtime.Futures;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.rpc.MecesCoordination;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.JobManagerTaskRestore;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResult;
import org.apache.flink.runtime.scheduler.ExecutionVertexVersion;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.InstantiationUtil;

/** Carries out a rescale's wishes by Flink's scheduler. Owned by the main thread. */
final class SchedulerRescaleContext implements RescaleContext {

    private static final Set<ExecutionState> WITH_SLOT_OR_FINISHED =
            EnumSet.of(ExecutionState.DEPLOYING, ExecutionState.RUNNING, ExecutionState.FINISHED);

    private final MecesScheduler scheduler;
    private final ElasticTopology topology;
    private final CheckpointControl checkpoints;
    private final RescaleMetrics metrics;

    private final ElasticCheckpoints states;
    private final SubtaskCancellation<ExecutionVertex, Set<ExecutionVertexVersion>> cancellation;
    private final RescaleRestarts restarts;
    private final ClusterSlots slots;
    private final SerializedCommands commands = new SerializedCommands();
    private final DelayedActions delayed;
    private final KnownAttempts known;

    /** As {@link io.meces.flink.runtime.CheckpointSettings#endWithTasks}. */
    @Nullable private final String endWithTasks;

    /** Who is being asked to describe its state, by question. */
    private final Map<UUID, CompletableFuture<StateDescription>> questions = new HashMap<>();

    SchedulerRescaleContext(
            MecesScheduler scheduler,
            ElasticTopology topology,
            CheckpointControl checkpoints,
            ElasticCheckpoints states,
            RescaleMetrics metrics,
            RescaleRestarts restarts,
            ClusterSlots slots,
            DelayedActions delayed,
            KnownAttempts known,
            @Nullable String endWithTasks) {
        this.known = known;
        this.endWithTasks = endWithTasks;
        this.slots = slots;
        this.delayed = delayed;
        this.scheduler = scheduler;
        this.topology = topology;
        this.checkpoints = checkpoints;
        this.states = states;
        this.metrics = metrics;
        this.restarts = restarts;
        this.cancellation =
                new SubtaskCancellation<>(
                        new Subtasks(),
                        states.acknowledgements(),
                        scheduler::checkCompletion,
                        action -> scheduler.mainThread().execute(action));
    }

    @Override
    public JobState jobState() {
        return JobState.valueOf(scheduler.getExecutionGraph().getState().name());
    }

    @Override
    public boolean hasVertex(@Nullable String id, @Nullable String name) {
        for (ExecutionJobVertex v : scheduler.getExecutionGraph().getVerticesTopologically()) {
            if (id != null
                    ? v.getJobVertexId().toString().equalsIgnoreCase(id)
                    : v.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Collection<VertexId> vertices() {
        List<VertexId> all = new ArrayList<>();
        for (ExecutionJobVertex v : scheduler.getExecutionGraph().getVerticesTopologically()) {
            all.add(FlinkIds.of(v.getJobVertexId()));
        }
        return all;
    }

    @Override
    public Object slotSharingGroup(VertexId vertex) {
        return scheduler.getExecutionJobVertex(FlinkIds.flinks(vertex)).getSlotSharingGroup();
    }

    @Override
    public CompletableFuture<Integer> freeSlots() {
        return slots.free(scheduler.mainThread());
    }

    @Override
    public String name(VertexId vertex) {
        return scheduler.getExecutionJobVertex(FlinkIds.flinks(vertex)).getName();
    }

    @Override
    public boolean giveBackSlots() {
        if (!slots.hasUnused()) {
            return true;
        }
        for (ExecutionVertex subtask : scheduler.getExecutionGraph().getAllExecutionVertices()) {
            if (topology.isActive(subtask.getID())
                    && !WITH_SLOT_OR_FINISHED.contains(subtask.getExecutionState())) {
                return false;
            }
        }
        slots.giveBackUnused();
        return true;
    }

    @Override
    public int activeSubtasks(VertexId vertex) {
        ElasticVertex elastic = topology.get(FlinkIds.flinks(vertex));
        return elastic == null
                ? scheduler.getExecutionJobVertex(FlinkIds.flinks(vertex)).getParallelism()
                : elastic.connected();
    }

    @Override
    public boolean isRunning(VertexId vertex, int subtask) {
        Execution attempt = execution(vertex, subtask);
        return attempt.getState() == ExecutionState.RUNNING
                && !scheduler.hasFinishedBefore(attempt.getAttemptId());
    }

    @Override
    public boolean hasSlot(VertexId vertex, int subtask) {
        return execution(vertex, subtask).getAssignedResource() != null;
    }

    @Override
    public boolean isFinished(VertexId vertex, int subtask) {
        return execution(vertex, subtask).getState() == ExecutionState.FINISHED;
    }

    @Override
    @Nullable
    public String endOfCheckpoints() {
        String finished = endWithTasks == null ? null : scheduler.finishedVertex();
        return finished == null
                ? null
                : "a subtask of '" + finished + "' has finished. " + endWithTasks;
    }

    @Override
    public boolean hasRestarted() {
        return scheduler.hasRestarted();
    }

    @Override
    public AttemptId attempt(VertexId vertex, int subtask) {
        return known.of(execution(vertex, subtask).getAttemptId());
    }

    private Execution execution(VertexId vertex, int subtask) {
        return scheduler
                .getExecutionJobVertex(FlinkIds.flinks(vertex))
                .getTaskVertices()[subtask]
                .getCurrentExecutionAttempt();
    }

    @Override
    public int gatesFrom(VertexId consumer, ElasticVertex producer) {
        int gates = 0;
        for (IntermediateResult input :
                scheduler.getExecutionJobVertex(FlinkIds.flinks(consumer)).getInputs()) {
            if (producer.outputs().contains(FlinkIds.of(input.getId()))) {
                gates++;
            }
        }
        return gates;
    }

    private List<ExecutionVertex> subtasks(ElasticVertex vertex, int from, int to) {
        ExecutionVertex[] all = scheduler.executionJobVertex(vertex).getTaskVertices();
        List<ExecutionVertex> subtasks = new ArrayList<>();
        for (int i = from; i < to; i++) {
            subtasks.add(all[i]);
        }
        return subtasks;
    }

    @Override
    public CompletableFuture<StateDescription> describeState(
            ElasticVertex vertex, int subtask, List<byte[]> others) {
        TaskCommand.DescribeState question =
                new TaskCommand.DescribeState(UUID.randomUUID(), others);
        CompletableFuture<StateDescription> answer = new CompletableFuture<>();
        questions.put(question.rescale(), answer);
        send(vertex.id(), subtask, question)
                .whenComplete(
                        (ok, failure) -> {
                            if (failure != null) {
                                questions.remove(question.rescale());
                                answer.completeExceptionally(failure);
                            }
                        });
        return answer;
    }

    void onStateDescribed(TaskReport.StateDescribed report) {
        CompletableFuture<StateDescription> answer = questions.remove(report.rescale);
        if (answer != null) {
            answer.complete(report.state);
        }
    }

    private JobManagerTaskRestore restoring(byte[] stateFormat) {
        try {
            return new JobManagerTaskRestore(
                    states.stored(),
                    InstantiationUtil.deserializeObject(
                            stateFormat, SchedulerRescaleContext.class.getClassLoader()));
        } catch (IOException | ClassNotFoundException e) {
            throw new FlinkRuntimeException("A subtask has described its state otherwise", e);
        }
    }

    @Override
    public CompletableFuture<?> deploy(ElasticVertex vertex, int from, int to, byte[] stateFormat) {
        Set<ExecutionVertexID> ids = new HashSet<>();
        List<CompletableFuture<?>> running = new ArrayList<>();
        for (ExecutionVertex subtask : subtasks(vertex, from, to)) {
            ids.add(subtask.getID());
            subtask.getCurrentExecutionAttempt().setInitialState(restoring(stateFormat));
            running.add(scheduler.whenRunning(subtask.getCurrentExecutionAttempt()));
        }
        scheduler.deploy(ids);
        return Futures.waitForAll(running).thenApplyAsync(done -> done, scheduler.mainThread());
    }

    @Override
    public CompletableFuture<?> cancel(ElasticVertex vertex, int from, int to) {
        return cancellation.cancel(subtasks(vertex, from, to));
    }

    @Override
    public void publishPartitions(ElasticVertex vertex, int from, int to) {
        for (ExecutionVertex subtask : subtasks(vertex, from, to)) {
            scheduler.publish(subtask);
        }
    }

    @Override
    public CompletableFuture<?> send(VertexId vertex, int subtask, TaskCommand command) {
        return execution(vertex, subtask)
                .sendOperatorEvent(MecesCoordination.OPERATOR_ID, commands.of(command))
                .handleAsync(
                        (ack, failure) -> {
                            if (failure != null) {
                                throw new java.util.concurrent.CompletionException(failure);
                            }
                            return ack;
                        },
                        scheduler.mainThread());
    }

    @Override
    public long checkpointedBytes(VertexId vertex) {
        return states.checkpointedBytes(scheduler.getExecutionJobVertex(FlinkIds.flinks(vertex)));
    }

    @Override
    @Nullable
    public long[] checkpointedKeyGroups(ElasticVertex vertex) {
        return states.checkpointedKeyGroups(vertex);
    }

    @Override
    public CheckpointControl checkpoints() {
        return checkpoints;
    }

    @Override
    public CompletableFuture<Runnable> readListState(
            ElasticVertex vertex, int from, int to, long checkpoint) {
        return states.readListState(vertex, from, to, checkpoint);
    }

    @Override
    public void schedule(Runnable action, Duration delay) {
        delayed.schedule(action, delay);
    }

    @Override
    public RescaleMetrics metrics() {
        return metrics;
    }

    @Override
    public void onRescaleEnded() {
        questions.clear();
        scheduler.mainThread().execute(scheduler::onRescaleEnded);
    }

    @Override
    public boolean canRestart() {
        return checkpoints.isEnabled() && restarts.areAllowed();
    }

    @Override
    public void failJob(Throwable cause) {
        scheduler.handleGlobalFailure(cause);
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    /** Subtasks as they are cancelled. */
    final class Subtasks
            implements SubtaskCancellation.Scheduler<ExecutionVertex, Set<ExecutionVertexVersion>> {

        @Override
        public AttemptId attempt(ExecutionVertex subtask) {
            return known.of(subtask.getCurrentExecutionAttempt().getAttemptId());
        }

        @Override
        public Set<ExecutionVertexVersion> outdateDeployments(List<ExecutionVertex> subtasks) {
            return scheduler.outdateDeployments(subtasks);
        }

        @Override
        public CompletableFuture<?> cancel(ExecutionVertex subtask) {
            Execution execution = subtask.getCurrentExecutionAttempt();
            // a slot request that has not been answered is withdrawn, or its failure would be ours
            scheduler.cancelSlotRequest(subtask.getID());
            execution.cancel();
            return execution.getReleaseFuture();
        }

        @Override
        public boolean reset(List<ExecutionVertex> subtasks, Set<ExecutionVertexVersion> version) {
            return scheduler.reset(subtasks, version);
        }
    }
}
