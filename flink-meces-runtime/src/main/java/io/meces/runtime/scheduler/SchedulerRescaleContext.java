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

package io.meces.runtime.scheduler;

import io.meces.core.command.TaskCommand;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.rescale.CheckpointControl;
import io.meces.core.rescale.ElasticVertex;
import io.meces.core.rescale.JobState;
import io.meces.core.rescale.RescaleContext;
import io.meces.core.rescale.RescaleMetrics;
import io.meces.core.rescale.SubtaskCancellation;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.event.CommandEvent;
import io.meces.runtime.rpc.MecesCoordination;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.concurrent.ScheduledExecutor;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IntermediateResult;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.ExecutionVertexVersion;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.SerializedValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out a rescale's wishes by Flink's scheduler. Owned by the main thread. */
final class SchedulerRescaleContext implements RescaleContext {

    private static final Logger LOG = LoggerFactory.getLogger(SchedulerRescaleContext.class);

    private final MecesScheduler scheduler;
    private final ElasticTopology topology;
    private final CheckpointControl checkpoints;
    private final RescaleMetrics metrics;

    private final ElasticCheckpoints states;
    private final SubtaskCancellation<ExecutionVertex, Set<ExecutionVertexVersion>> cancellation;
    private final RescaleRestarts restarts;
    private final ClusterSlots slots;

    SchedulerRescaleContext(
            MecesScheduler scheduler,
            ElasticTopology topology,
            CheckpointControl checkpoints,
            ElasticCheckpoints states,
            RescaleMetrics metrics,
            RescaleRestarts restarts,
            ClusterSlots slots) {
        this.slots = slots;
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
    public int activeSubtasks(VertexId vertex) {
        ElasticVertex elastic = topology.get(FlinkIds.flinks(vertex));
        return elastic == null
                ? scheduler.getExecutionJobVertex(FlinkIds.flinks(vertex)).getParallelism()
                : elastic.connected();
    }

    @Override
    public boolean isRunning(VertexId vertex, int subtask) {
        return execution(vertex, subtask).getState() == ExecutionState.RUNNING;
    }

    @Override
    public boolean isFinished(VertexId vertex, int subtask) {
        return execution(vertex, subtask).getState() == ExecutionState.FINISHED;
    }

    @Override
    @Nullable
    public String finishedVertex() {
        return scheduler.finishedVertex();
    }

    @Override
    public boolean hasRestarted() {
        return scheduler.hasRestarted();
    }

    @Override
    public AttemptId attempt(VertexId vertex, int subtask) {
        return FlinkIds.of(execution(vertex, subtask).getAttemptId());
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
    public CompletableFuture<?> deploy(ElasticVertex vertex, int from, int to) {
        Set<ExecutionVertexID> ids = new HashSet<>();
        List<CompletableFuture<?>> running = new ArrayList<>();
        for (ExecutionVertex subtask : subtasks(vertex, from, to)) {
            ids.add(subtask.getID());
            running.add(scheduler.whenRunning(subtask.getCurrentExecutionAttempt()));
        }
        scheduler.deploy(ids);
        return FutureUtils.waitForAll(running).thenApplyAsync(done -> done, scheduler.mainThread());
    }

    @Override
    public CompletableFuture<?> cancel(ElasticVertex vertex, int from, int to) {
        return cancellation.cancel(subtasks(vertex, from, to));
    }

    @Override
    public void publishPartitions(ElasticVertex vertex, int from, int to) {
        for (ExecutionVertex subtask : subtasks(vertex, from, to)) {
            for (IntermediateResultPartitionID partition :
                    subtask.getProducedPartitions().keySet()) {
                scheduler.scheduleOrUpdateConsumers(
                        new ResultPartitionID(
                                partition, subtask.getCurrentExecutionAttempt().getAttemptId()));
            }
        }
    }

    @Override
    public CompletableFuture<?> send(VertexId vertex, int subtask, TaskCommand command) {
        try {
            return execution(vertex, subtask)
                    .sendOperatorEvent(
                            MecesCoordination.OPERATOR_ID,
                            new SerializedValue<OperatorEvent>(new CommandEvent(command)))
                    .handleAsync(
                            (ack, failure) -> {
                                if (failure != null) {
                                    throw new java.util.concurrent.CompletionException(failure);
                                }
                                return ack;
                            },
                            scheduler.mainThread());
        } catch (IOException e) {
            throw new FlinkRuntimeException("Cannot serialise " + command, e);
        }
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
        schedule(action, delay, scheduler.mainThread(), this::failJob);
    }

    /** The executor has a future for what an action throws, and nobody looks at it. */
    static void schedule(
            Runnable action,
            Duration delay,
            ScheduledExecutor executor,
            Consumer<Throwable> onFailure) {
        executor.schedule(
                () -> {
                    try {
                        action.run();
                    } catch (Throwable unforeseen) {
                        LOG.error("An action of a rescale has failed.", unforeseen);
                        onFailure.accept(
                                new FlinkException(
                                        "An action of a rescale has failed", unforeseen));
                    }
                },
                delay.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    @Override
    public RescaleMetrics metrics() {
        return metrics;
    }

    @Override
    public void onRescaleEnded() {
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
            return FlinkIds.of(subtask.getCurrentExecutionAttempt().getAttemptId());
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
