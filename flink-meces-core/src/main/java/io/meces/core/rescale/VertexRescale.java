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

package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.migration.EventTime;
import io.meces.core.plan.RescalePlan;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rescale of one vertex. It goes through states, each a {@link State}, in this order:
 *
 * <pre>
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
        implements Deploying.Context,
                Quiescing.Context,
                Beginning.Context,
                Connecting.Context,
                StepRunner.Listener,
                ScaleIn.Listener {

    /** The subtask that hands over its broadcast state: it is never new. */
    static final int BROADCAST_DONOR = 0;

    /** How Flink begins to say so. */
    private static final String NO_BUFFERS = "Insufficient number of network buffers";

    static final String JOB_IS_ENDING = "the job is ending";

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
                        scaling,
                        job,
                        current,
                        steps,
                        figures,
                        participants,
                        alignment,
                        pace,
                        new Yields(scaling, participants, forecast),
                        this);
        this.scaleIn = new ScaleIn(scaling, job, current, this);
        this.withdrawal = new Withdrawal(scaling, job, current);
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
                new WatermarkAlignment(scaling, participants, steps::left));
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
        if (scaling.isScaleOut()) {
            current.enter(new Deploying(this));
        } else {
            quiesce(this::begin);
        }
    }

    void onReport(AttemptId task, TaskReport report) {
        if (report.rescale != null && !report.rescale.equals(scaling.id)) {
            LOG.debug("Dropped {} of {}: it belongs to an earlier rescale", report, task);
        } else if (report instanceof TaskReport.FirstRecord) {
            if (figures.onRecord(job.nanoTime())) {
                scaling.logReached("first record at a new owner");
            }
        } else if (report instanceof TaskReport.WatermarkRisen) {
            onEventTime(task, ((TaskReport.WatermarkRisen) report).time);
            current.onWatermarkRisen();
        } else {
            current.onReport(task, report);
        }
    }

    /** A task has finished: it will not report any more. */
    void onFinished(AttemptId task) {
        current.onFinished(task);
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
        if (state instanceof Undeploying) {
            return true;
        }
        if (state == null || state instanceof Connecting || state instanceof Withdrawing) {
            return false;
        }
        LOG.warn(
                "Rescale {} of {}: new subtask {} has failed.",
                scaling.name,
                vertex,
                subtask,
                cause);
        String reason = "new subtask " + subtask + " of " + vertex.name() + " has failed: " + cause;
        scaling.tellEnd(participants.told());
        if (hasMessage(cause, NO_BUFFERS)) {
            // another attempt would find no more of them
            undeploy(reason);
            return true;
        }
        withdrawal.undeploy(reason, () -> listener.onNewSubtaskFailed(reason));
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

    /**
     * Ends it at the next step's boundary: what has moved has moved, the rest stays.
     *
     * @return whether that is possible; not if all key-groups have moved
     */
    boolean stop(String reason) {
        if (migrated) {
            return false;
        }
        stopReason = reason;
        State<?> state = current.get();
        if (state instanceof Deploying) {
            undeploy(reason);
        } else if (state instanceof Yielding) {
            state.within(Duration.ZERO, () -> giveUp(reason));
        }
        return true;
    }

    /** What it is doing; null at the end. */
    @Nullable
    RescaleState state() {
        return current.shown();
    }

    /** Its steps so far, and those to come as they are foreseen. */
    RescalePlan plan() {
        return steps.plan();
    }

    MigrationFigures figures() {
        return figures;
    }

    // ------------------------------------------------------------------------
    //  From state to state
    // ------------------------------------------------------------------------

    @Override
    public CompletableFuture<?> deploy() {
        vertex.deployUpTo(scaling.to);
        return job.deploy(vertex, scaling.from, scaling.to);
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
        current.enter(new Beginning(this, participants));
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
        if (scaling.isJobEnding()) {
            giveUp(JOB_IS_ENDING);
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
                    BROADCAST_DONOR,
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
        // Not the new ones: without the broadcast state they would process broadcast records.
        scaling.tellEnd(
                participants.told().stream()
                        .filter(subtask -> subtask < scaling.from)
                        .collect(Collectors.toSet()));
        withdrawal.withdraw(reason, () -> listener.onGivenUp(reason));
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
