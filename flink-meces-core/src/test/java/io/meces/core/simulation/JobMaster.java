// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.checkpoint.SubtaskCancellation;
import io.meces.core.command.NumberedReports;
import io.meces.core.command.StateDescription;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import io.meces.core.id.VertexId;
import io.meces.core.job.CarriedStates;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobState;
import io.meces.core.job.ReportLog;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleMetrics;
import io.meces.core.job.RescaleSettings;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.Repartitioning;
import io.meces.core.rescale.JobCompletion;
import io.meces.core.rescale.RecordedMetrics;
import io.meces.core.rescale.RescaleController;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.annotation.Nullable;

/**
 * A JobManager with the product's {@link RescaleController}. What the controller asks of it happens
 * some time later. Restarts the job when a task fails, and is gone when it has crashed.
 */
final class JobMaster implements RescaleContext {

    final Simulation world;
    private final Scenario scenario;
    private final ElasticVertex vertex;
    private final List<VertexId> sourceVertices = new ArrayList<>();

    private final VertexId sinkVertex = new VertexId(0, 9);
    private final RescaleController controller;
    private final ReportLog reports = new ReportLog();
    private final Checkpoints checkpoints;
    private final RescaleMetrics metrics = new RecordedMetrics();
    private final Wire self;
    private final Map<Integer, AttemptId> notDeployed = new HashMap<>();
    private Execution job;
    private JobState status = JobState.CREATED;
    private boolean alive = true;
    private boolean restarted;
    private boolean noSlots;

    /** Subtasks that wait for one. */
    private final BitSet withoutSlot = new BitSet();

    private boolean listStateUnreadable;

    /** That of the list state which the job was started from; the code's own is 0. */
    private static final byte RESTORED_FORMAT = 1;

    private final CarriedStates<Long> carried =
            new CarriedStates<>(0L, list -> list > 0 ? 1 : 0, this::later);

    private final RescaleClient client;
    private final Places places = new Places(this);
    private final JobCompletion<Places.Place> completion;
    private final SubtaskCancellation<Integer, Execution> cancellation;

    private final CommandLink commands;

    JobMaster(Simulation world) {
        this.world = world;
        this.scenario = world.scenario();
        this.self = world.wire();
        this.commands = new CommandLink(world, this::later);
        Scenario.Settings s = scenario.settings();
        vertex =
                new ElasticVertex(
                        new VertexId(0, 5),
                        "elastic",
                        s.parallelism,
                        s.capacity,
                        s.keyGroups,
                        s.subGroups);
        for (int i = 0; i < (s.firstInput < scenario.inputs().size() ? 2 : 1); i++) {
            sourceVertices.add(new VertexId(0, i));
            vertex.addInput(DataSetId.random(), sourceVertices.get(i));
        }
        if (s.secondIsBroadcast) {
            vertex.markBroadcastInputs();
        }
        vertex.addOutput(DataSetId.random(), sinkVertex);
        checkpoints = new Checkpoints(this);
        controller =
                new RescaleController(
                        Collections.singletonList(vertex),
                        null,
                        Collections.emptyList(),
                        new RescaleSettings(
                                1,
                                s.batchBytes,
                                Duration.ofMillis(s.stepDurationMs),
                                Duration.ofMillis(s.slotTimeoutMs),
                                Duration.ofMillis(s.stepTimeoutMs),
                                s.runningCheckpoint,
                                s.attempts,
                                new Repartitioning(
                                        "simulated", new RandomAssignments(scenario)::target)),
                        this);
        client = new RescaleClient(this);
        completion = new JobCompletion<>(places, controller);
        cancellation =
                new SubtaskCancellation<>(
                        new Subtasks(),
                        checkpoints.acknowledgements(),
                        this::checkCompletion,
                        this::later);
        Snapshot from = world.lastCheckpoint();
        if (from != null) {
            if (from.elasticity != null) {
                controller.restore(from.elasticity);
            }
            Ledger.check(
                    from.atRest == null || from.atRest.equals(vertex.assignment()),
                    "a new JobManager begins with %s instead of %s",
                    vertex.assignment(),
                    from.atRest);
        }
    }

    // ------------------------------------------------------------------------
    //  Starting and failing
    // ------------------------------------------------------------------------

    /** Starts the job for the first time in this JobManager. */
    void startFirst() {
        start();
        controller.start();
    }

    int connected() {
        return vertex.connected();
    }

    Assignment assignment() {
        return vertex.assignment();
    }

    /** What a checkpoint keeps for a new JobManager. */
    void storeInto(Snapshot snapshot) {
        snapshot.elasticity = controller.stored();
        if (!client.isBusy()) {
            snapshot.atRest = vertex.assignment();
        }
    }

    /** Starts the job from the last completed checkpoint, whoever has completed it. */
    private void start() {
        Snapshot from = world.lastCheckpoint();
        world.trace(
                "the job starts from %s at parallelism %d, %s",
                from == null ? "scratch" : "checkpoint " + from.id,
                vertex.connected(),
                vertex.assignment());
        Ledger.check(
                from == null || from.inFlight == null || from.inFlight.equals(vertex.assignment()),
                "records in flight of %s are restored under %s",
                from == null ? null : from.inFlight,
                vertex.assignment());
        status = JobState.RUNNING;
        carried.forget(vertex);
        notDeployed.clear();
        places.reset();
        Scenario.Settings s = scenario.settings();
        int units = s.keyGroups * s.subGroups;
        job = new Execution(this, new Ledger(world.oracle(), units, from), scenario);
        int active = vertex.connected();
        for (int u = 0; u < job.sources.length; u++) {
            int position = from == null ? 0 : from.positions[u];
            job.sources[u] =
                    new SimulatedSource(u, job, position, vertex.layout().owners(), active);
        }
        for (int k = 0; k < active; k++) {
            job.elastic[k] =
                    new SimulatedElastic(k, attempt(vertex.id(), k), job, false)
                            .withListFormat(RESTORED_FORMAT);
            if (from != null) {
                job.elastic[k].restore(
                        from.broadcastStates.values().iterator().next(),
                        from.id % active == k ? from.listState() : 0);
            }
        }
        for (int unit = 0; unit < units; unit++) {
            job.elastic[vertex.assignment().owner(unit / s.subGroups)].give(
                    unit, from == null ? new SimulatedUnit() : from.units.get(unit).get(0).copy());
        }
        for (int i = 0; i < job.sinks.length; i++) {
            job.sinks[i] = new SimulatedSink(i, job, active);
            for (int k = 0; k < active; k++) {
                job.sinks[i].attach(k, job.elastic[k].output(i), -1);
            }
        }
        if (from != null) {
            from.transactions.forEach(Transaction::commit);
        }
        for (SimulatedTask task : job.tasks()) {
            world.add(task);
            task.toTask.send(
                    () -> {
                        if (!task.isDead()) {
                            task.start();
                        }
                    });
        }
    }

    boolean isAlive() {
        return alive;
    }

    /** The process ends; its tasks notice that some time later. */
    void crash() {
        world.trace("the JobManager crashes");
        alive = false;
        job.onFailure();
        for (SimulatedTask task : job.tasks()) {
            world.wire().send(task::kill);
        }
    }

    void onTaskFailed(SimulatedTask task) {
        if (!isCurrent(task) || status != JobState.RUNNING) {
            return;
        }
        RescaleController.Restart restart =
                controller.onFailed(
                        vertexOf(task), task.index, new RescaleException("it has crashed"));
        if (restart == RescaleController.Restart.NOBODY) {
            world.trace("the failure of %s concerns nobody else", task);
            job.onAbsorbed();
        } else if (task instanceof SimulatedElastic && ((SimulatedElastic) task).hasStarved()) {
            Ledger.check(false, "%s waits for an upstream that had ended before", task);
        } else if (restart == RescaleController.Restart.ALL) {
            restart("subtask " + task + " has failed while a rescale was running", true);
        } else {
            restart(task + " has failed", false);
        }
    }

    private VertexId vertexOf(SimulatedTask task) {
        if (task instanceof SimulatedElastic) {
            return vertex.id();
        }
        if (task instanceof SimulatedSink) {
            return sinkVertex;
        }
        return sourceVertices.get(task.index < scenario.settings().firstInput ? 0 : 1);
    }

    private void restart(String cause, boolean global) {
        if (status != JobState.RUNNING) {
            return;
        }
        world.trace("the job restarts: %s", cause);
        world.onRestart();
        restarted = true;
        if (global) {
            controller.onFailure("the job restarts: " + cause);
        }
        status = JobState.RESTARTING;
        checkpoints.abort("the job restarts");
        job.onFailure();
        List<SimulatedTask> left = job.tasks();
        for (SimulatedTask task : new ArrayList<>(left)) {
            world.wire()
                    .send(
                            () -> {
                                task.kill();
                                left.remove(task);
                                if (left.isEmpty() && alive) {
                                    self.send(this::startAgain);
                                }
                            });
        }
    }

    private void startAgain() {
        if (alive) {
            start();
        }
    }

    void onRunning(SimulatedTask task) {
        world.trace("%s is known to run", task);
    }

    void onFinished(SimulatedTask task) {
        if (task.job != job || status != JobState.RUNNING) {
            return;
        }
        controller.onFinished(task.attempt);
        checkCompletion();
    }

    private void checkCompletion() {
        if (status != JobState.RUNNING) {
            return;
        }
        completion.check();
        if (!places.areAllFinished()) {
            return;
        }
        world.trace("the job has finished");
        status = JobState.FINISHED;
        checkpoints.abort("the job has finished");
        // what sinks do at the end of a bounded job
        for (SimulatedElastic subtask : job.elastic) {
            if (subtask != null) {
                subtask.uncommitted().forEach(Transaction::commit);
            }
        }
        for (SimulatedSink sink : job.sinks) {
            sink.uncommitted().forEach(Transaction::commit);
        }
    }

    // ------------------------------------------------------------------------
    //  Requests
    // ------------------------------------------------------------------------

    void withholdSlots() {
        noSlots = true;
    }

    void loseListState() {
        listStateUnreadable = true;
    }

    // ------------------------------------------------------------------------
    //  Reports
    // ------------------------------------------------------------------------

    void onReports(SimulatedTask task, NumberedReports numbered) {
        if (isCurrent(task)) {
            for (TaskReport report :
                    reports.takeNew(vertexOf(task), task.index, task.attempt, numbered)) {
                onReport(task, report);
            }
        }
    }

    private void onReport(SimulatedTask task, TaskReport report) {
        world.trace("the JobManager hears %s of %s", report.getClass().getSimpleName(), task);
        controller.onReport(task.attempt, report);
    }

    private boolean isCurrent(SimulatedTask task) {
        return task.job == job
                && (!(task instanceof SimulatedElastic) || job.elastic[task.index] == task);
    }

    // ------------------------------------------------------------------------
    //  RescaleContext
    // ------------------------------------------------------------------------

    @Override
    public JobState jobState() {
        return status;
    }

    @Override
    public boolean hasVertex(@Nullable String id, @Nullable String name) {
        return vertex.id().toString().equals(id) || vertex.name().equals(name);
    }

    @Override
    public Collection<VertexId> vertices() {
        List<VertexId> all = new ArrayList<>(sourceVertices);
        all.add(vertex.id());
        all.add(sinkVertex);
        return all;
    }

    @Override
    public Object slotSharingGroup(VertexId id) {
        return "default";
    }

    @Override
    public CompletableFuture<Integer> freeSlots() {
        return CompletableFuture.completedFuture(noSlots ? 0 : vertex.capacity());
    }

    @Override
    public String name(VertexId id) {
        return id.equals(vertex.id()) ? vertex.name() : id.equals(sinkVertex) ? "sink" : "source";
    }

    @Override
    public boolean giveBackSlots() {
        return true;
    }

    @Override
    public int activeSubtasks(VertexId id) {
        if (id.equals(vertex.id())) {
            return vertex.connected();
        } else if (id.equals(sinkVertex)) {
            return job.sinks.length;
        }
        int first = scenario.settings().firstInput;
        return id.equals(sourceVertices.get(0)) ? first : job.sources.length - first;
    }

    @Nullable
    private SimulatedTask task(VertexId id, int subtask) {
        if (id.equals(vertex.id())) {
            return job.elastic[subtask];
        } else if (id.equals(sinkVertex)) {
            return job.sinks[subtask];
        }
        int first = id.equals(sourceVertices.get(0)) ? 0 : scenario.settings().firstInput;
        return job.sources[first + subtask];
    }

    boolean isDeployed(VertexId id, int subtask) {
        return task(id, subtask) != null;
    }

    @Override
    public boolean isRunning(VertexId id, int subtask) {
        SimulatedTask task = task(id, subtask);
        return task != null && task.isKnownToRun();
    }

    @Override
    public boolean hasSlot(VertexId id, int subtask) {
        return !withoutSlot.get(subtask);
    }

    @Override
    public boolean isFinished(VertexId id, int subtask) {
        SimulatedTask task = task(id, subtask);
        return task != null && task.isKnownToBeFinished();
    }

    @Override
    @Nullable
    public String endOfCheckpoints() {
        return job.tasks().stream().anyMatch(SimulatedTask::isKnownToBeFinished)
                ? "a task has finished. There is no checkpoint after that"
                : null;
    }

    @Override
    public boolean hasRestarted() {
        return restarted;
    }

    @Override
    public AttemptId attempt(VertexId id, int subtask) {
        SimulatedTask task = task(id, subtask);
        return task == null
                ? notDeployed.computeIfAbsent(subtask, s -> AttemptId.random())
                : task.attempt;
    }

    @Override
    public int gatesFrom(VertexId consumer, ElasticVertex producer) {
        return 1;
    }

    @Override
    public CompletableFuture<StateDescription> describeState(
            ElasticVertex v, int subtask, List<byte[]> others) {
        return CompletableFuture.completedFuture(
                new StateDescription(new byte[] {job.elastic[subtask].listFormat()}, null));
    }

    @Override
    public CompletableFuture<?> deploy(ElasticVertex v, int from, int to, byte[] stateFormat) {
        CompletableFuture<Void> all = new CompletableFuture<>();
        withoutSlot.clear();
        if (noSlots) {
            noSlots = false;
            withoutSlot.set(from, to);
            return all;
        }
        Set<SimulatedTask> left = new LinkedHashSet<>();
        for (int k = from; k < to; k++) {
            SimulatedElastic subtask =
                    new SimulatedElastic(k, attempt(v.id(), k), job, true)
                            .withListFormat(stateFormat[0]);
            job.elastic[k] = subtask;
            for (SimulatedSource source : job.sources) {
                if (source.isKnownToBeFinished()) {
                    subtask.markFinished(source.index);
                }
            }
            left.add(subtask);
            world.add(subtask);
        }
        for (SimulatedTask subtask : new ArrayList<>(left)) {
            world.wire()
                    .send(
                            () -> {
                                if (!subtask.isDead()) {
                                    subtask.start();
                                    if (subtask.isDead()) {
                                        return;
                                    }
                                    subtask.tell(
                                            () -> {
                                                left.remove(subtask);
                                                if (left.isEmpty()) {
                                                    all.complete(null);
                                                }
                                            });
                                }
                            });
        }
        return all;
    }

    @Override
    public CompletableFuture<?> cancel(ElasticVertex v, int from, int to) {
        return cancellation.cancel(IntStream.range(from, to).boxed().collect(Collectors.toList()));
    }

    @Override
    public void publishPartitions(ElasticVertex v, int from, int to) {
        for (SimulatedSink sink : job.sinks) {
            for (int k = from; k < to; k++) {
                int producer = k;
                SimulatedElastic subtask = job.elastic[k];
                long last = v.layout().lastCheckpoint();
                sink.toTask.send(() -> sink.attach(producer, subtask.output(sink.index), last));
            }
        }
    }

    @Override
    public CompletableFuture<?> send(VertexId id, int subtask, TaskCommand command) {
        return commands.send(task(id, subtask), command);
    }

    @Override
    public long checkpointedBytes(VertexId vertex) {
        return -1;
    }

    @Override
    public long[] checkpointedKeyGroups(ElasticVertex v) {
        return null;
    }

    @Override
    public CheckpointControl checkpoints() {
        return checkpoints.gate();
    }

    RescaleClient client() {
        return client;
    }

    RescaleController controller() {
        return controller;
    }

    Checkpoints coordinator() {
        return checkpoints;
    }

    @Override
    public CompletableFuture<Runnable> readListState(
            ElasticVertex v, int from, int to, long checkpoint) {
        CompletableFuture<Long> read = new CompletableFuture<>();
        long before = carried.of(v);
        later(
                () -> {
                    if (listStateUnreadable) {
                        listStateUnreadable = false;
                        read.completeExceptionally(new RescaleException("too large"));
                        return;
                    }
                    Snapshot snapshot = world.checkpoint(checkpoint);
                    long leaving =
                            IntStream.range(from, to)
                                    .mapToLong(k -> snapshot.listStates.get(k))
                                    .sum();
                    read.complete(before + leaving);
                });
        return carried.leave(v, from, read);
    }

    @Override
    public void schedule(Runnable action, Duration delay) {
        world.at(
                world.now() + delay.toNanos(),
                () -> {
                    if (alive) {
                        action.run();
                    }
                });
    }

    @Override
    public RescaleMetrics metrics() {
        return metrics;
    }

    @Override
    public void onRescaleEnded() {
        RescaleDetails last = client.last();
        // who is waited for comes in any order
        world.trace(
                "the rescale has ended: %s, %s",
                last.status(), String.valueOf(last.failure()).replaceFirst(", waiting for .*", ""));
        world.onRescaleEnded(last.status());
        if (last.status() == RescaleStatus.FINISHED && last.attempt() > 1) {
            world.onRescaleResumed();
        }
        client.onEnded(last, job.hasFinishedSource(), isEnding());
        later(this::checkCompletion);
    }

    /** Some time later, unless the JobManager is gone. */
    void later(Runnable action) {
        self.send(
                () -> {
                    if (alive) {
                        action.run();
                    }
                });
    }

    @Override
    public boolean canRestart() {
        return scenario.settings().restarts && scenario.settings().checkpointInterval > 0;
    }

    @Override
    public void failJob(Throwable cause) {
        boolean expected =
                job.isFailing()
                        || job.hasFinishedSource()
                        || scenario.settings().stepTimeoutMs < Scenario.NO_STEP_TIMEOUT_MS
                        || scenario.has(
                                Scenario.Fault.LIST_STATE_UNREADABLE,
                                Scenario.Fault.ABORT_CHECKPOINT);
        String reason = describe(cause);
        Ledger.check(
                expected && !(isStuck(reason) && !job.isFailing()), "the job fails: %s", reason);
        Ledger.check(
                canRestart() || job.isFailing(), "a job that must not restart does: %s", reason);
        // who is waited for comes in any order
        restart(reason.replaceFirst(", waiting for .*", ""), true);
    }

    private boolean isStuck(String reason) {
        return reason.contains("took longer than")
                && scenario.settings().stepTimeoutMs == Scenario.NO_STEP_TIMEOUT_MS;
    }

    /** Without what is random: the ids of attempts. */
    private String describe(Throwable cause) {
        StringBuilder text = new StringBuilder();
        for (Throwable t = cause; t != null; t = t.getCause()) {
            text.append(text.length() == 0 ? "" : ", caused by ").append(t.getMessage());
        }
        String plain = text.toString();
        for (SimulatedTask task : job.tasks()) {
            plain = plain.replace(task.attempt.toString(), task.name);
        }
        return plain;
    }

    @Override
    public long currentTimeMillis() {
        return world.now() / 1_000_000;
    }

    @Override
    public long nanoTime() {
        return world.now();
    }

    // ------------------------------------------------------------------------
    //  Reading
    // ------------------------------------------------------------------------

    boolean isEverythingRunning() {
        if (status != JobState.RUNNING) {
            return false;
        }
        for (SimulatedTask task : job.tasks()) {
            boolean active = !(task instanceof SimulatedElastic) || task.index < vertex.connected();
            if (active && !task.isKnownToRun()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all tasks are there that a rescale needs. */
    boolean isReady() {
        if (status != JobState.RUNNING || isEnding()) {
            return false;
        }
        for (SimulatedTask task : job.tasks()) {
            boolean active = !(task instanceof SimulatedElastic) || task.index < vertex.connected();
            boolean mayHaveFinished = task instanceof SimulatedSource;
            if (active
                    && !task.isKnownToRun()
                    && !(mayHaveFinished && task.isKnownToBeFinished())) {
                return false;
            }
        }
        return true;
    }

    /** Whether all sources are known to have finished, or else a task that reads from all. */
    private boolean isEnding() {
        boolean ends = true;
        for (SimulatedSource source : job.sources) {
            ends &= source.isKnownToBeFinished();
        }
        for (SimulatedTask task : job.tasks()) {
            ends |= !(task instanceof SimulatedSource) && task.isKnownToBeFinished();
        }
        return ends;
    }

    Execution job() {
        return job;
    }

    ElasticVertex vertex() {
        return vertex;
    }

    long carried() {
        return carried.of(vertex);
    }

    List<AttemptId> attempts() {
        return places.attempts();
    }

    List<AttemptId> inactiveAttempts() {
        return attempts(vertex.connected(), vertex.capacity());
    }

    List<AttemptId> activeAttempts() {
        return attempts(0, vertex.connected());
    }

    /** Of elastic subtasks. */
    private List<AttemptId> attempts(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(k -> attempt(vertex.id(), k))
                .collect(Collectors.toList());
    }

    /** The elastic ones. */
    private final class Subtasks implements SubtaskCancellation.Scheduler<Integer, Execution> {

        @Override
        public AttemptId attempt(Integer subtask) {
            return JobMaster.this.attempt(vertex.id(), subtask);
        }

        @Override
        public Execution outdateDeployments(List<Integer> subtasks) {
            return job;
        }

        @Override
        public CompletableFuture<?> cancel(Integer subtask) {
            CompletableFuture<Void> released = new CompletableFuture<>();
            Execution ofJob = job;
            world.wire()
                    .send(
                            () -> {
                                if (ofJob.elastic[subtask] != null) {
                                    ofJob.elastic[subtask].leave();
                                }
                                released.complete(null);
                            });
            return released;
        }

        @Override
        public boolean reset(List<Integer> subtasks, Execution version) {
            if (version != job || status == JobState.RESTARTING) {
                return false;
            }
            for (int k : subtasks) {
                job.elastic[k] = null;
                notDeployed.remove(k);
            }
            return true;
        }
    }

    @Nullable
    SimulatedElastic elastic(int index) {
        return job.elastic[index];
    }
}
