// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.EventTime;
import io.meces.core.command.StateDescription;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.EventTimeForecast;
import io.meces.core.job.MigrationFigures;
import io.meces.core.job.Participants;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.StoredElasticity;
import io.meces.core.rescale.state.Beginning;
import io.meces.core.rescale.state.Connecting;
import io.meces.core.rescale.state.CurrentState;
import io.meces.core.rescale.state.Deploying;
import io.meces.core.rescale.state.Describing;
import io.meces.core.rescale.state.Quiescing;
import io.meces.core.rescale.state.State;
import io.meces.core.rescale.state.VertexScaling;
import io.meces.core.rescale.state.WatermarkAlignment;
import io.meces.core.rescale.state.Yielding;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rescale of one vertex. It goes through states, each a {@link State}, in this order:
 *
 * <pre>
 * Describing    subtasks tell whether their state can move, and in which format it is
 * Deploying     scale-out: the new subtasks get slots and run
 * Quiescing     checkpoints are held back, and those on their way complete
 * Beginning     donors and receivers get ready, and tell watermark and address
 * Connecting    scale-out: upstreams and consumers open channels to the new subtasks
 *   Withdrawing if that cannot be, the new subtasks say good-bye, and go
 * then for each step (if there are broadcast inputs, new subtasks get the broadcast state first, in
 * a step in which nothing else moves)
 *   Starting    its donors and receivers learn the moves
 *   Migrating   upstreams switch and send the marker; units move
 *   Transferring if data comes apart from the units, it does
 *   Pausing     if a checkpoint waits, it runs now
 *   Yielding    if a watermark is about to have timers fire, it goes first (also before
 *               Connecting, but not before broadcast state is handed over)
 * then
 * Draining      scale-in: the operators of the subtasks that leave end
 * Confirming    a checkpoint completes, and these operators have been told
 * Reading       what they have of list state is read from it
 * Retiring      they say good-bye to their consumers
 * Cancelling    they end
 * Disconnecting upstreams close the channels to them
 * </pre>
 *
 * <p>{@link StepRunner} has the states of a step, {@link ScaleIn} those from Draining on, {@link
 * Withdrawal} those in which new subtasks go again; what is before the first step, and what comes
 * next when a part is over, is here.
 *
 * <p>Owned by the JobMaster's main thread.
 */
final class VertexRescale extends RescalePart
        implements Describing.Context,
                Deploying.Context,
                Quiescing.Context,
                Beginning.Context,
                Connecting.Context,
                StepRunner.Listener,
                ScaleIn.Listener {

    /** How Flink begins to say so. */
    private static final String NO_BUFFERS = "Insufficient number of network buffers";

    private static final Logger LOG = LoggerFactory.getLogger(VertexRescale.class);

    private final Listener listener;
    private final Participants participants;
    private final MigrationFigures figures;
    private final StepSchedule steps;
    private final StepRunner runner;
    private final CheckpointPace pace;
    private final ScaleIn scaleIn;
    private final Withdrawal withdrawal;
    private boolean migrated;
    private boolean obstructed;

    /** Why it ends at the next step's boundary; null: it does not. */
    @Nullable private String stopReason;

    private VertexRescale(
            VertexScaling scaling,
            RescaleContext job,
            EventTimeForecast forecast,
            Listener listener,
            MigrationFigures figures,
            StepSchedule steps,
            Participants participants,
            WatermarkAlignment alignment) {
        super(scaling, job, new CurrentState(alignment));
        this.listener = listener;
        this.participants = participants;
        this.figures = figures;
        this.steps = steps;
        this.pace =
                new CheckpointPace(
                        scaling.settings.runningCheckpoint() == RunningCheckpoint.ABORT,
                        checkpoints().timeoutNanos());
        this.runner =
                new StepRunner(
                        this,
                        steps,
                        figures,
                        participants,
                        alignment,
                        pace,
                        new WatermarkPrecedence(scaling, participants, forecast),
                        this);
        this.scaleIn = new ScaleIn(this, this);
        this.withdrawal = new Withdrawal(this);
    }

    /** One that has not begun; {@link #start()} begins it. */
    static VertexRescale of(
            VertexScaling scaling,
            RescaleContext job,
            EventTimeForecast forecast,
            Listener listener) {
        Participants participants = new Participants();
        MigrationFigures figures = new MigrationFigures();
        StepSchedule steps =
                new StepSchedule(scaling, job.checkpointedBytes(scaling.vertex.id()), figures);
        return new VertexRescale(
                scaling,
                job,
                forecast,
                listener,
                figures,
                steps,
                participants,
                new WatermarkAlignment(scaling, participants, steps.left()));
    }

    /** Who is told of the end. */
    interface Listener {

        /** All key-groups have moved: a restart of the job restores them so. */
        void onMigrated();

        void onFinished();

        /** It was given up; the job goes on undisturbed. */
        void onGivenUp(String reason);

        /** As {@link #onGivenUp}, because a new subtask has failed. */
        void onNewSubtaskFailed(String reason);
    }

    void start() {
        current.enter(new Describing(this));
    }

    void onReport(AttemptId task, TaskReport report) {
        if (report.rescale != null && !report.rescale.equals(scaling.id)) {
            LOG.debug("Dropped {} of {}: it belongs to an earlier rescale", report, task);
        } else if (report instanceof TaskReport.FirstRecord) {
            if (figures.onRecord(job.nanoTime())) {
                scaling.logReached("first record at a new owner");
            }
        } else if (report instanceof TaskReport.MessagesHindered) {
            current.onHindered(task, ((TaskReport.MessagesHindered) report).reason);
        } else if (report instanceof TaskReport.WatermarkRisen) {
            onEventTime(task, ((TaskReport.WatermarkRisen) report).time);
            current.onWatermarkRisen();
        } else {
            current.onReport(task, report);
        }
    }

    /** A task has finished: it will not report any more. */
    void onFinished(AttemptId task) {
        if (isMissedByNewSubtasks(task)) {
            takeBack(
                    "a subtask of '"
                            + job.name(scaling.upstreamOf(task))
                            + "' has finished before new subtasks of "
                            + vertex.name()
                            + " were connected with it");
        } else {
            current.onFinished(task);
        }
    }

    /**
     * Whether new subtasks count on an upstream, and wait for its end in vain now that it has
     * finished. Those that are deployed from now on know of that.
     */
    private boolean isMissedByNewSubtasks(AttemptId task) {
        if (vertex.deployed() == vertex.connected()
                || scaling.isEnding()
                || scaling.upstreamOf(task) == null) {
            return false;
        }
        State<?> state = current.get();
        return state instanceof Deploying
                || state instanceof Quiescing
                || state instanceof Beginning
                || state instanceof Yielding
                || state instanceof Connecting && ((Connecting) state).awaits(task);
    }

    /** Tries it again with other new subtasks. */
    private void takeBack(String reason) {
        Runnable again = () -> listener.onNewSubtaskFailed(reason);
        if (current.get() instanceof Connecting) {
            withdraw(reason, again);
        } else {
            scaling.tellEnd(participants.told());
            withdrawal.undeploy(reason, again);
        }
    }

    /**
     * A subtask has failed.
     *
     * @return whether that concerns nobody else, as it is new and not connected yet: the job need
     *     not restart
     */
    boolean absorbsFailure(VertexId id, int subtask, Throwable cause) {
        if (!vertex.id().equals(id) || subtask < vertex.connected()) {
            return false;
        }
        State<?> state = current.get();
        if (state() == RescaleState.UNDEPLOYING) {
            return true;
        }
        if (state == null || state instanceof Connecting || state() == RescaleState.WITHDRAWING) {
            return false;
        }
        LOG.warn(
                "Rescale {} of {}: new subtask {} has failed.",
                scaling.name,
                vertex,
                subtask,
                cause);
        String reason = "new subtask " + subtask + " of " + vertex.name() + " has failed: " + cause;
        if (hasMessage(cause, NO_BUFFERS)) {
            // another attempt would find no more of them
            scaling.tellEnd(participants.told());
            undeploy(reason);
        } else {
            takeBack(reason);
        }
        return true;
    }

    private static boolean hasMessage(Throwable failure, String part) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t.getMessage() != null && t.getMessage().contains(part)) {
                return true;
            }
        }
        return false;
    }

    /** The job restarts: whatever has moved, the state will be redistributed. */
    void abandon() {
        StoredElasticity.Vertex stable = stable();
        end(stable.assignment, stable.parallelism);
    }

    /** What the vertex goes back to if the job restarts now. */
    StoredElasticity.Vertex stable() {
        return migrated
                ? new StoredElasticity.Vertex(vertex.id(), scaling.to, scaling.plan.to())
                : new StoredElasticity.Vertex(vertex.id(), scaling.from, scaling.plan.from());
    }

    /** Whether it can be stopped; not if all key-groups have moved. */
    boolean canStop() {
        return !migrated;
    }

    /**
     * Ends it at the next step's boundary, if that is possible: what has moved has moved, the rest
     * stays. Where nothing has begun that is at once, within this call.
     */
    void stop(String reason) {
        if (migrated) {
            return;
        }
        stopReason = reason;
        State<?> state = current.get();
        if (state instanceof Describing) {
            giveUp(reason);
        } else if (state instanceof Deploying) {
            undeploy(reason);
        } else if (state instanceof Yielding) {
            state.within(Duration.ZERO, () -> giveUp(reason));
        }
    }

    /** What it is doing; null at the end. */
    @Nullable
    RescaleState state() {
        return current.shown();
    }

    /** What waits for slots; null: nothing does. */
    @Nullable
    Deploying deploying() {
        return current.get() instanceof Deploying ? (Deploying) current.get() : null;
    }

    /** Its steps so far, and those to come as they are foreseen. */
    int stepsTotal() {
        return steps.total();
    }

    MigrationFigures figures() {
        return figures;
    }

    // ------------------------------------------------------------------------
    //  From state to state
    // ------------------------------------------------------------------------

    @Override
    public CompletableFuture<StateDescription> describeState(int subtask, List<byte[]> others) {
        return job.describeState(vertex, subtask, others);
    }

    @Override
    public void onDescribed(byte[] format) {
        if (scaling.isScaleOut()) {
            current.enter(new Deploying(this, format));
        } else {
            quiesce(this::begin);
        }
    }

    @Override
    public void meetObstacle(String obstacle) {
        obstructed = true;
        giveUp(obstacle);
    }

    /** Whether each attempt would be given up for the same reason, as long as the job is so. */
    boolean isObstructed() {
        return obstructed;
    }

    @Override
    public CompletableFuture<?> deploy(byte[] stateFormat) {
        vertex.deployUpTo(scaling.to);
        return job.deploy(vertex, scaling.from, scaling.to, stateFormat);
    }

    @Override
    public void onDeployed() {
        scaling.logReached("deployed");
        quiesce(this::begin);
    }

    @Override
    public void quiesce(Runnable then) {
        current.enter(
                new Quiescing(
                        this,
                        pace,
                        () -> {
                            scaling.logReached("quiet");
                            then.run();
                        }));
    }

    private void begin() {
        current.enter(new Beginning(this, participants, checkpoints().lastPassed()));
    }

    @Override
    public void onEventTime(AttemptId task, EventTime time) {
        runner.onEventTime(task, time);
    }

    @Override
    public void onBegun() {
        scaling.logReached("begun");
        runner.onBegun();
        if (scaling.isScaleOut()) {
            runner.yieldBefore(this::connect);
        } else {
            runner.goOn();
        }
    }

    private void connect() {
        if (scaling.isEnding()) {
            giveUp(scaling.end());
        } else {
            current.enter(new Connecting(this));
        }
    }

    @Override
    public void publishNewSubtasks() {
        // barriers of one that was aborted may still be on their way to the consumers
        vertex.joinAfter(checkpoints().lastPassed());
        job.publishPartitions(vertex, scaling.from, scaling.to);
    }

    @Override
    public void onConnected() {
        vertex.connectUpTo(scaling.to);
        scaling.logReached("connected");
        if (scaling.handsOverBroadcastState()) {
            runner.handOverBroadcastState(
                    VertexScaling.BROADCAST_DONOR,
                    () -> {
                        scaling.logReached("broadcast state handed over");
                        runner.goOn();
                    });
        } else {
            runner.goOn();
        }
    }

    @Override
    public void onMigrated() {
        migrated = true;
        listener.onMigrated();
        scaling.logReached("migrated");
        // who does not hear of it holds back event time for good
        scaling.tellEnd(participants.told());
        if (scaling.isScaleIn()) {
            scaleIn.begin();
        } else {
            finish();
        }
    }

    @Override
    public void finish() {
        scaling.logReached("finished");
        end(scaling.plan.to(), scaling.to);
        listener.onFinished();
    }

    @Override
    public void onStayed() {
        listener.onFinished();
    }

    @Override
    public void onStayed(String reason) {
        listener.onGivenUp(reason);
    }

    @Override
    @Nullable
    public String stopReason() {
        if (migrated) {
            return null;
        }
        return stopReason == null ? scaling.whyNoneCanLeave() : stopReason;
    }

    @Override
    public void undeploy(String reason) {
        withdrawal.undeploy(reason, () -> listener.onGivenUp(reason));
    }

    @Override
    public void withdraw(String reason) {
        withdraw(reason, () -> listener.onGivenUp(reason));
    }

    private void withdraw(String reason, Runnable then) {
        // Not the new ones: without the broadcast state they would process broadcast records.
        scaling.tellEnd(
                participants.told().stream()
                        .filter(subtask -> subtask < scaling.from)
                        .collect(Collectors.toSet()));
        withdrawal.withdraw(reason, then);
    }

    @Override
    public void withdraw(String reason, TaskReport.NotConnected report, AttemptId consumer) {
        withdraw(reason);
        onReport(consumer, report);
    }

    @Override
    public void giveUp(String reason) {
        current.leave();
        scaling.tellEnd(participants.told());
        if (vertex.deployed() > vertex.connected()) {
            undeploy(reason);
            return;
        }
        // new subtasks stay, with what they have got; the next rescale starts from there
        end(vertex.assignment(), vertex.connected());
        listener.onGivenUp(reason);
    }
}
