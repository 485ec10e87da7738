// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.NumberedReports;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.ReportLog;
import io.meces.core.job.StoredElasticity;
import io.meces.core.rescale.JobCompletion;
import io.meces.core.rescale.RescaleController;
import io.meces.flink.runtime.CheckpointSettings;
import io.meces.flink.runtime.Deployments;
import io.meces.flink.runtime.SchedulerParameters;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.checkpoint.CheckpointGate;
import io.meces.runtime.event.ReportEvent;
import io.meces.runtime.graph.ElasticJobGraph;
import io.meces.runtime.rpc.MecesCoordination;
import io.meces.runtime.rpc.ServiceRequest;
import io.meces.runtime.shuffle.ElasticShuffleMaster;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.queryablestate.KvStateID;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointMetrics;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.InactiveExecutions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.ExecutionVertexVersion;
import org.apache.flink.runtime.scheduler.SchedulerBridge;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.scheduler.strategy.SchedulingStrategyFactory;
import org.apache.flink.runtime.shuffle.PartitionDescriptor;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.taskmanager.TaskExecutionState;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;

/**
 * Flink's scheduler with static capacity and dynamic activation. The execution graph has all
 * subtasks that a rescale can ever need; only the active ones are deployed. Failover, cancellation
 * and slots are Flink's own.
 *
 * <p>Owned by the JobMaster's main thread.
 */
public final class MecesScheduler extends SchedulerBridge implements ElasticCheckpoints.Scheduler {

    private final Logger log;
    private final ElasticTopology topology;
    private final CheckpointGate gate;
    private final RescaleController controller;
    private final DelayedActions delayed;
    private final SchedulerRescaleContext context;
    private final KnownAttempts known = new KnownAttempts();

    /** By attempt, completed when it runs. */
    private final Map<ExecutionAttemptID, CompletableFuture<Void>> awaited =
            new ConcurrentHashMap<>();

    private final FinishedVertex finished = new FinishedVertex(this::lookForFinished);
    private final ReportLog reports = new ReportLog();
    private final ElasticCheckpoints checkpoints;
    private final JobCompletion<ExecutionVertex> completion;
    private final RetiredAccumulators retiredAccumulators = new RetiredAccumulators();
    private final ShownJob shown;

    MecesScheduler(
            SchedulerParameters parameters,
            JobGraph jobGraph,
            CheckpointRecoveryFactory checkpointRecovery,
            ElasticShuffleMaster shuffleMaster,
            RescaleRestarts restarts,
            Parts parts,
            ElasticJobGraph elastic,
            ElasticTopology topology,
            CheckpointGate gate)
            throws Exception {
        super(
                parameters,
                jobGraph,
                checkpointRecovery,
                shuffleMaster,
                strategy(topology, parts),
                restarts,
                parts);
        Configuration configuration = parameters.configuration;
        Executor ioExecutor = parameters.ioExecutor;
        this.log = parameters.log;
        this.topology = topology;
        this.gate = gate;
        this.checkpoints = new ElasticCheckpoints(this, topology, gate, ioExecutor, known);
        this.delayed =
                new DelayedActions(
                        (action, delay) ->
                                getMainThreadExecutor()
                                        .schedule(action, delay, TimeUnit.NANOSECONDS),
                        this::handleGlobalFailure);
        ClusterSlots slots = new ClusterSlots(parameters.slots, parameters.rpcTimeout);
        this.context =
                new SchedulerRescaleContext(
                        this,
                        topology,
                        gate.checkpoints(),
                        checkpoints,
                        new JobMetrics(
                                topology.vertices().isEmpty()
                                        ? new UnregisteredMetricsGroup()
                                        : parameters.metrics,
                                topology.vertices()),
                        restarts,
                        slots,
                        delayed,
                        known,
                        CheckpointSettings.endWithTasks(jobGraph.getCheckpointingSettings()));
        this.shown = new ShownJob(getExecutionGraph(), topology, retiredAccumulators);
        this.controller =
                new RescaleController(
                        topology.vertices(),
                        elastic.refusal(),
                        elastic.warnings(),
                        ConfiguredRescales.settings(
                                elastic.awaitsCheckpoints()
                                        ? awaitingCheckpoints(configuration)
                                        : configuration),
                        context);
        slots.whenOffered(controller::onSlotsOffered);
        this.completion = new JobCompletion<>(new Subtasks(), controller);
        gate.connect(
                checkpointCoordinator(),
                ioExecutor,
                this::getMainThreadExecutor,
                delayed::schedule,
                checkpoints::prepare,
                controller::stored);
        checkpoints.refuseUnknownState(
                configuration.get(MecesOptions.EARLIER_KRYO),
                parameters.userCode,
                elastic.goesOnInFlight());
        if (!topology.vertices().isEmpty() && gate.isUnaligned()) {
            slots.alignUnless(gate.checkpoints()::mayBeUnaligned);
        }
        StoredElasticity before = checkpoints.restored();
        if (before != null) {
            controller.restore(before);
        }
    }

    private static Configuration awaitingCheckpoints(Configuration configured) {
        Configuration awaiting = new Configuration(configured);
        awaiting.set(MecesOptions.RUNNING_CHECKPOINT, RunningCheckpoint.WAIT);
        return awaiting;
    }

    /** A job without elastic vertices is scheduled as Flink does, by whatever strategy it takes. */
    private static SchedulingStrategyFactory strategy(ElasticTopology topology, Parts parts) {
        return topology.vertices().isEmpty()
                ? parts.schedulingStrategy()
                : (operations, all) ->
                        new ActiveSchedulingStrategy(operations, all, topology::isActive);
    }

    // ------------------------------------------------------------------------
    //  Requests and reports
    // ------------------------------------------------------------------------

    @Override
    public CompletableFuture<CoordinationResponse> deliverCoordinationRequestToCoordinator(
            OperatorID operator, CoordinationRequest request) throws FlinkException {
        if (!MecesCoordination.OPERATOR_ID.equals(operator)) {
            return super.deliverCoordinationRequestToCoordinator(operator, request);
        }
        return ServiceRequest.answer(request, controller);
    }

    @Override
    public void deliverOperatorEventToCoordinator(
            ExecutionAttemptID task, OperatorID operator, OperatorEvent event)
            throws FlinkException {
        if (!MecesCoordination.OPERATOR_ID.equals(operator)) {
            super.deliverOperatorEventToCoordinator(task, operator, event);
        } else if (!(event instanceof ReportEvent)) {
            // later lines have a task acknowledge checkpoints to all whom it sends events
            log.trace("{} of {}", event, task);
        } else if (isCurrent(task)) {
            hear(
                    getExecutionGraph().getRegisteredExecutions().get(task),
                    ((ReportEvent) event).reports());
        } else {
            log.debug("Dropped {} of {}, which is not a current attempt.", event, task);
        }
    }

    /** Nothing may come out of it: the task would send the reports again, which are known then. */
    private void hear(Execution task, NumberedReports numbered) {
        try {
            ExecutionVertex subtask = task.getVertex();
            VertexId vertex = FlinkIds.of(subtask.getJobvertexId());
            AttemptId attempt = known.of(task.getAttemptId());
            for (TaskReport report :
                    reports.takeNew(vertex, subtask.getParallelSubtaskIndex(), attempt, numbered)) {
                if (report instanceof TaskReport.StateDescribed) {
                    context.onStateDescribed((TaskReport.StateDescribed) report);
                } else {
                    controller.onReport(attempt, report);
                }
            }
        } catch (RuntimeException unforeseen) {
            handleGlobalFailure(new FlinkException("A report has failed: " + numbered, unforeseen));
        }
    }

    @Override
    public void notifyKvStateRegistered(
            JobID job,
            JobVertexID vertexId,
            KeyGroupRange keyGroups,
            String name,
            KvStateID state,
            InetSocketAddress server)
            throws FlinkJobNotFoundException {
        ElasticVertex vertex = topology.get(vertexId);
        if (vertex != null) {
            vertex.setQueryableState(name);
            if (vertex.connected() > 1) {
                // each subtask registers all key-groups: clients would find nothing, or old values
                log.warn(
                        "Queryable state '{}' of {} cannot be queried: a vertex that can be rescaled"
                                + " has queryable state at parallelism 1 only.",
                        name,
                        vertex);
                return;
            }
        }
        super.notifyKvStateRegistered(job, vertexId, keyGroups, name, state, server);
    }

    @Override
    public void notifyKvStateUnregistered(
            JobID job, JobVertexID vertexId, KeyGroupRange keyGroups, String name)
            throws FlinkJobNotFoundException {
        ElasticVertex vertex = topology.get(vertexId);
        if (vertex == null || vertex.connected() == 1) {
            super.notifyKvStateUnregistered(job, vertexId, keyGroups, name);
        }
    }

    @Override
    protected ArchivedExecutionGraph shown(ArchivedExecutionGraph job) {
        return topology.vertices().isEmpty() ? job : shown.archived(job);
    }

    @Override
    protected JobDetails shown(JobDetails details) {
        return shown.details(details);
    }

    @Override
    @Nullable
    protected List<Execution> deployed(JobVertexID id) {
        ElasticVertex vertex = topology.get(id);
        return vertex == null
                ? null
                : Arrays.stream(getExecutionJobVertex(id).getTaskVertices())
                        .limit(vertex.deployed())
                        .map(ExecutionVertex::getCurrentExecutionAttempt)
                        .collect(Collectors.toList());
    }

    private boolean isCurrent(ExecutionAttemptID task) {
        return getExecutionGraph().getRegisteredExecutions().containsKey(task);
    }

    // ------------------------------------------------------------------------
    //  Checkpoints: the coordinator waits for all subtasks, also for the inactive ones
    // ------------------------------------------------------------------------

    @Override
    public void acknowledgeCheckpoint(
            JobID job,
            ExecutionAttemptID task,
            long checkpoint,
            CheckpointMetrics metrics,
            TaskStateSnapshot state) {
        super.acknowledgeCheckpoint(job, task, checkpoint, metrics, state);
        gate.checkpoints()
                .onAcknowledged(
                        checkpoint,
                        TimeUnit.MILLISECONDS.toNanos(
                                metrics.getSyncDurationMillis()
                                        + metrics.getAsyncDurationMillis()));
        checkpoints.acknowledgements().onAcknowledged(checkpoint);
    }

    @Override
    public void acknowledgeWithoutState(long checkpoint, AttemptId attempt) {
        ExecutionAttemptID flinks = known.flinks(attempt);
        if (flinks != null) {
            super.acknowledgeCheckpoint(
                    getJobGraph().getJobID(), flinks, checkpoint, new CheckpointMetrics(), null);
        }
    }

    // ------------------------------------------------------------------------
    //  Failures and ends
    // ------------------------------------------------------------------------

    /**
     * Completed when the attempt has been deployed, never if it does not get that far. (Flink has a
     * future of that kind only in later patch releases.)
     */
    CompletableFuture<?> whenRunning(Execution attempt) {
        CompletableFuture<Void> running = new CompletableFuture<>();
        awaited.put(attempt.getAttemptId(), running);
        attempt.getReleaseFuture().thenRun(() -> awaited.remove(attempt.getAttemptId()));
        return running;
    }

    @Override
    public boolean updateTaskExecutionState(TaskExecutionState state) {
        boolean updated = super.updateTaskExecutionState(state);
        if (updated && Deployments.isDone(state.getExecutionState())) {
            CompletableFuture<Void> running = awaited.remove(state.getID());
            if (running != null) {
                running.complete(null);
            }
        }
        return updated;
    }

    @Override
    protected boolean onFailed(ExecutionVertexID subtask, @Nullable Throwable error) {
        RescaleController.Restart restart =
                controller.onFailed(
                        FlinkIds.of(subtask.getJobVertexId()), subtask.getSubtaskIndex(), error);
        if (restart == RescaleController.Restart.ALL) {
            handleGlobalFailure(
                    new FlinkException(
                            "Subtask " + subtask + " has failed while a rescale was running",
                            error));
        }
        return restart == RescaleController.Restart.AS_WITHOUT_RESCALE;
    }

    @Override
    protected void onFinished(ExecutionVertexID subtask, ExecutionAttemptID attempt) {
        finished.onFinished(getExecutionJobVertex(subtask.getJobVertexId()).getName());
        controller.onFinished(known.of(attempt));
        completion.check();
    }

    @Override
    public void handleGlobalFailure(Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        controller.onFailure(
                "the job restarts: " + cause + (root == cause ? "" : ", because of " + root));
        super.handleGlobalFailure(cause);
    }

    @Override
    public void cancel() {
        controller.abandon("the job is cancelled");
        super.cancel();
    }

    @Override
    protected void onSavepointAsked(CompletableFuture<String> savepoint) {
        gate.checkpoints().onSavepointAsked(savepoint);
    }

    /** The end of the tasks must not meet a rescale. */
    @Override
    protected CompletableFuture<String> stopWithSavepoint(
            @Nullable String directory, Supplier<CompletableFuture<String>> flinks) {
        if (!canTakeSavepoint(directory)) {
            // Flink refuses it, which is no reason to end a rescale
            return flinks.get();
        }
        return controller.withoutRescale(
                "the job is being stopped with a savepoint", flinks, getMainThreadExecutor());
    }

    private boolean canTakeSavepoint(@Nullable String directory) {
        CheckpointCoordinator coordinator = checkpointCoordinator();
        return coordinator != null
                && (directory != null
                        || coordinator.getCheckpointStorage().hasDefaultSavepointLocation());
    }

    @Override
    protected void onClosed(Throwable cause) {
        controller.abandon("the job is suspended: " + cause);
        delayed.end();
    }

    @Override
    protected void restoreState(Set<ExecutionVertexID> subtasks, boolean isGlobalRecovery)
            throws Exception {
        super.restoreState(subtasks, isGlobalRecovery);
        // others may run, restored from a checkpoint that is long gone
        Set<JobVertexID> restored = new HashSet<>();
        subtasks.forEach(subtask -> restored.add(subtask.getJobVertexId()));
        for (ElasticVertex vertex : topology.vertices()) {
            if (isGlobalRecovery || restored.contains(FlinkIds.flinks(vertex.id()))) {
                retiredAccumulators.forget(FlinkIds.flinks(vertex.id()));
                checkpoints.redistribute(vertex);
            }
        }
        for (JobVertexID vertex : restored) {
            restoreInFlight(vertex);
        }
    }

    private void restoreInFlight(JobVertexID vertex) throws Exception {
        if (topology.get(vertex) == null) {
            checkpoints.restoreInFlight(getExecutionJobVertex(vertex));
        }
    }

    @Override
    protected void startSchedulingInternal() {
        try {
            for (ElasticVertex vertex : topology.vertices()) {
                checkpoints.redistribute(vertex);
            }
            for (JobVertexID vertex : getExecutionGraph().getAllVertices().keySet()) {
                restoreInFlight(vertex);
            }
        } catch (Exception e) {
            throw new FlinkRuntimeException("Cannot redistribute the restored state", e);
        }
        super.startSchedulingInternal();
        controller.start();
    }

    // ------------------------------------------------------------------------
    //  For the context of rescales
    // ------------------------------------------------------------------------

    void deploy(Set<ExecutionVertexID> subtasks) {
        new ActiveSchedulingStrategy(this, getSchedulingTopology(), topology::isActive)
                .restartTasks(subtasks);
    }

    /** As {@link SubtaskCancellation.Scheduler#reset}. */
    boolean reset(List<ExecutionVertex> subtasks, Set<ExecutionVertexVersion> versions) {
        if (executionVertexVersioner.getUnmodifiedExecutionVertices(versions).size()
                < subtasks.size()) {
            return false;
        }
        subtasks.forEach(s -> retiredAccumulators.keep(s.getCurrentExecutionAttempt()));
        resetForNewExecutions(idsOf(subtasks));
        return true;
    }

    private static List<ExecutionVertexID> idsOf(List<ExecutionVertex> subtasks) {
        return subtasks.stream().map(ExecutionVertex::getID).collect(Collectors.toList());
    }

    @Override
    protected void resetForNewExecutions(Collection<ExecutionVertexID> subtasks) {
        super.resetForNewExecutions(subtasks);
        finished.onReset();
    }

    void onRescaleEnded() {
        shown.onRescaleEnded(System.currentTimeMillis());
        completion.check();
    }

    /** Has the consumers of a subtask know where it is. */
    void publish(ExecutionVertex producer) {
        publishPartitions(producer);
    }

    /** Deployments of these subtasks that are under way come to nothing. */
    Set<ExecutionVertexVersion> outdateDeployments(List<ExecutionVertex> subtasks) {
        return new HashSet<>(
                executionVertexVersioner.recordVertexModifications(idsOf(subtasks)).values());
    }

    /** Has the job finish if its active subtasks have. */
    void checkCompletion() {
        completion.check();
    }

    boolean hasRestarted() {
        return getNumberOfRestarts() > 0;
    }

    @Override
    public ExecutionJobVertex executionJobVertex(ElasticVertex vertex) {
        return getExecutionJobVertex(FlinkIds.flinks(vertex.id()));
    }

    @Override
    @Nullable
    public CheckpointCoordinator coordinator() {
        return checkpointCoordinator();
    }

    @Override
    public ComponentMainThreadExecutor mainThread() {
        return getMainThreadExecutor();
    }

    @Override
    @Nullable
    public String finishedVertex() {
        return finished.name();
    }

    @Override
    public Iterable<ExecutionVertex> subtasks() {
        return getExecutionGraph().getAllExecutionVertices();
    }

    @Nullable
    private String lookForFinished() {
        for (ExecutionVertex subtask : getExecutionGraph().getAllExecutionVertices()) {
            // those that are not deployed have not finished before the job has
            if (subtask.getExecutionState() == ExecutionState.FINISHED) {
                return subtask.getJobVertex().getName();
            }
        }
        return null;
    }

    /** Whether the subtask that makes a partition has finished. Any thread. */
    boolean isProducerFinished(PartitionDescriptor partition) {
        return getExecutionGraph()
                        .getAllIntermediateResults()
                        .get(partition.getResultId())
                        .getPartitionById(partition.getPartitionId())
                        .getProducer()
                        .getExecutionState()
                == ExecutionState.FINISHED;
    }

    /** What the end of the job needs to know of its subtasks. */
    final class Subtasks implements JobCompletion.Job<ExecutionVertex> {

        @Override
        public Iterable<ExecutionVertex> subtasks() {
            return getExecutionGraph().getAllExecutionVertices();
        }

        @Override
        public boolean isActive(ExecutionVertex subtask) {
            return topology.isActive(subtask.getID());
        }

        @Override
        public boolean isFinished(ExecutionVertex subtask) {
            return subtask.getExecutionState() == ExecutionState.FINISHED;
        }

        @Override
        public void finish(ExecutionVertex inactive) {
            InactiveExecutions.finish(inactive);
        }
    }
}
