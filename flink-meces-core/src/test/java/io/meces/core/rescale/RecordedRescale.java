// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.EventTime;
import io.meces.core.command.StateDescription;
import io.meces.core.command.StepMoves;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import io.meces.core.id.VertexId;
import io.meces.core.job.BatchSize;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.RescaleSettings;
import io.meces.core.plan.MinimalMoveStrategy;
import io.meces.core.plan.Planner;
import io.meces.core.plan.Repartitioning;
import io.meces.core.plan.VertexLoad;
import io.meces.core.rescale.state.Beginning;
import io.meces.core.rescale.state.Confirming;
import io.meces.core.rescale.state.Connecting;
import io.meces.core.rescale.state.Deploying;
import io.meces.core.rescale.state.Describing;
import io.meces.core.rescale.state.Draining;
import io.meces.core.rescale.state.Migrating;
import io.meces.core.rescale.state.Pausing;
import io.meces.core.rescale.state.Quiescing;
import io.meces.core.rescale.state.Reading;
import io.meces.core.rescale.state.Starting;
import io.meces.core.rescale.state.State;
import io.meces.core.rescale.state.Transferring;
import io.meces.core.rescale.state.VertexScaling;
import io.meces.core.rescale.state.Yielding;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A rescale in one state, which writes down what the state has it do. Its tasks, checkpoints and
 * clock are those of {@link #job}. One thread.
 */
public final class RecordedRescale
        implements Describing.Context,
                Deploying.Context,
                Quiescing.Context,
                Beginning.Context,
                Connecting.Context,
                Starting.Context,
                Migrating.Context,
                Transferring.Context,
                Pausing.Context,
                Yielding.Context,
                Draining.Context,
                Confirming.Context,
                Reading.Context {

    public static final Duration SLOT_TIMEOUT = Duration.ofSeconds(5);
    public static final Duration STEP_TIMEOUT = Duration.ofSeconds(60);
    public static final EventTime AT_0 = new EventTime(0, Long.MAX_VALUE);

    public final VertexId source = VertexId.random();
    public final VertexId sink = VertexId.random();
    public final ElasticVertex vertex;
    public final FakeContext job;

    /** What subtasks answer one after the other; if it is empty, what {@link #job} says. */
    public final Queue<CompletableFuture<StateDescription>> states = new ArrayDeque<>();

    public String stopReason;
    public String obstacle;
    public boolean pauseDue;
    private final VertexScaling scaling;
    private final CheckpointPace pace;
    public final Map<AttemptId, String> hindrances = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private State<?> current;

    /** A vertex with one upstream and one consumer, of one subtask each, and 8 key-groups. */
    public RecordedRescale(int from, int to) {
        this(from, to, RunningCheckpoint.WAIT);
    }

    public RecordedRescale(int from, int to, RunningCheckpoint runningCheckpoint) {
        vertex = new ElasticVertex(VertexId.random(), "count", from, 8, 8, 4);
        vertex.addInput(DataSetId.random(), source);
        vertex.addOutput(DataSetId.random(), sink);
        job = new FakeContext(vertex);
        scaling =
                new VertexScaling(
                        "r",
                        UUID.randomUUID(),
                        vertex,
                        to,
                        Planner.plan(
                                vertex.assignment(),
                                new MinimalMoveStrategy()
                                        .target(vertex.assignment(), to, VertexLoad.unknown()),
                                8),
                        new BatchSize(8, Long.MAX_VALUE),
                        new RescaleSettings(
                                8,
                                Long.MAX_VALUE,
                                Duration.ofMillis(50),
                                SLOT_TIMEOUT,
                                STEP_TIMEOUT,
                                runningCheckpoint,
                                3,
                                Repartitioning.named("minimal-move")),
                        job);
        pace = new CheckpointPace(false, job.timeoutNanos());
        vertex.deployUpTo(Math.max(from, to));
    }

    public void enter(State<?> state) {
        current = state;
        state.enter();
    }

    /** Gets to the state, which must be current. */
    public void report(AttemptId task, TaskReport report) {
        current.onReport(task, report);
    }

    public void report(int subtask, TaskReport report) {
        report(scaling.attempt(subtask), report);
    }

    public void begun(int... subtasks) {
        for (int k : subtasks) {
            report(k, new TaskReport.Begun(scaling.id, new TransitionAddress("here", 1), AT_0));
        }
    }

    public AttemptId sourceTask() {
        return job.attempt(source, 0);
    }

    public AttemptId sinkTask() {
        return job.attempt(sink, 0);
    }

    public void finish(VertexId id) {
        job.finished.add(id + "/0");
        current.onFinished(job.attempt(id, 0));
    }

    /** Event time has gone on. */
    public void alignWatermarks() {
        current.onWatermarksAligned();
    }

    /** What it has been told to do since the last call. */
    public List<String> takeCalls() {
        List<String> taken = new ArrayList<>(calls);
        calls.clear();
        return taken;
    }

    public CheckpointPace pace() {
        return pace;
    }

    /** How the rescale goes on behind a state that is told so. */
    public Runnable next() {
        return () -> leave("next");
    }

    @Override
    public VertexScaling scaling() {
        return scaling;
    }

    @Override
    public boolean isAt(State<?> state) {
        return current == state;
    }

    @Override
    public Map<AttemptId, String> hindrances() {
        return hindrances;
    }

    @Override
    public void schedule(Runnable action, Duration delay) {
        job.schedule(action, delay);
    }

    /** The rescale has left the state. */
    public void leave(String call) {
        calls.add(call);
        current = null;
    }

    @Override
    public boolean canRestart() {
        return job.canRestart();
    }

    @Override
    public void failJob(Throwable cause) {
        leave("failJob: " + cause.getMessage());
    }

    @Override
    public CheckpointControl checkpoints() {
        return job;
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        return job.letOnePass();
    }

    @Override
    public void giveUp(String reason) {
        leave("giveUp: " + reason);
    }

    @Override
    public CompletableFuture<StateDescription> describeState(int subtask, List<byte[]> others) {
        calls.add("describeState: " + subtask + (others.isEmpty() ? "" : " of " + others.size()));
        return states.isEmpty() ? job.state : states.remove();
    }

    @Override
    public void onDescribed(byte[] format) {
        leave("onDescribed: " + Arrays.toString(format));
    }

    @Override
    public void meetObstacle(String met) {
        leave("meetObstacle: " + met);
    }

    @Override
    public CompletableFuture<?> deploy(byte[] format) {
        calls.add("deploy");
        return job.deployment;
    }

    @Override
    public void undeploy(String reason) {
        leave("undeploy: " + reason);
    }

    @Override
    public String stopReason() {
        return stopReason;
    }

    @Override
    public void onEventTime(AttemptId task, EventTime time) {
        calls.add("onEventTime: " + time.watermark);
    }

    @Override
    public void publishNewSubtasks() {
        calls.add("publishNewSubtasks");
    }

    @Override
    public void withdraw(String reason) {
        leave("withdraw: " + reason);
    }

    @Override
    public void withdraw(String reason, TaskReport.NotConnected report, AttemptId consumer) {
        withdraw(reason);
    }

    @Override
    public void alignWatermarksOfOthers(StepMoves moves, long watermarkOfReceivers) {
        calls.add("alignWatermarksOfOthers: " + watermarkOfReceivers);
    }

    @Override
    public boolean isPauseDue() {
        return pauseDue;
    }

    @Override
    public String whyNoneCanLeave() {
        return obstacle;
    }

    @Override
    public void onInputEnds() {
        calls.add("onInputEnds");
    }

    @Override
    public void stay() {
        leave("stay");
    }

    @Override
    public void stay(String reason) {
        leave("stay: " + reason);
    }

    @Override
    public CompletableFuture<Runnable> readListState(long checkpoint) {
        calls.add("readListState: " + checkpoint);
        return job.listState;
    }

    public CompletableFuture<?> cancelLeaving() {
        calls.add("cancelLeaving");
        return job.cancellation;
    }

    public CompletableFuture<?> cancelNew() {
        calls.add("cancelNew");
        return job.cancellation;
    }

    @Override
    public void onDeployed() {
        leave("onDeployed");
    }

    @Override
    public void onBegun() {
        leave("onBegun");
    }

    @Override
    public void onConnected() {
        leave("onConnected");
    }

    @Override
    public void onPaused() {
        leave("onPaused");
    }

    @Override
    public void onDrained() {
        leave("onDrained");
    }

    @Override
    public void onConfirmed(long checkpoint) {
        leave("onConfirmed: " + checkpoint);
    }

    @Override
    public void onUnneeded() {
        leave("onUnneeded");
    }

    @Override
    public void abortRunning() {
        job.abortRunning();
    }

    @Override
    public void onRead(Runnable carry) {
        carry.run();
        leave("onRead");
    }
}
