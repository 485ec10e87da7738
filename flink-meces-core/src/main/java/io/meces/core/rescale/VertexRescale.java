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
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.migration.EventTime;
import io.meces.core.migration.StepMoves;
import io.meces.core.plan.Move;
import io.meces.core.plan.RescalePlan;
import io.meces.core.plan.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
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
 * <p>Owned by the JobMaster's main thread.
 */
final class VertexRescale
        implements Deploying.Context,
                Quiescing.Context,
                Beginning.Context,
                Connecting.Context,
                Starting.Context,
                Migrating.Context,
                Pausing.Context,
                Yielding.Context,
                Draining.Context,
                Confirming.Context,
                Reading.Context,
                Retiring.Context,
                Cancelling.Context,
                Undeploying.Context {

    /** The subtask that hands over its broadcast state: it is never new. */
    static final int BROADCAST_DONOR = 0;

    /** How Flink begins to say so. */
    private static final String NO_BUFFERS = "Insufficient number of network buffers";

    static final String JOB_IS_ENDING = "the job is ending";

    private static final Logger LOG = LoggerFactory.getLogger(VertexRescale.class);

    private final VertexScaling scaling;
    private final ElasticVertex vertex;
    private final RescaleContext context;
    private final Listener listener;
    private final Participants participants = new Participants();
    private final MigrationFigures figures = new MigrationFigures();
    private final CheckpointPace pace;
    private final StepTimes stepTimes;
    private final WatermarkAlignment watermarkAlignment;
    private final Yields yields;
    private final long startNanos;

    /** The steps to go, cut anew as it becomes known how large they are. */
    private RescalePlan plan;

    private boolean migrated;
    @Nullable private State<?> current;

    /** Why it ends at the next step's boundary; null: it does not. */
    @Nullable private String stopReason;

    /** Has checkpoints carry the list state of the subtasks that leave. */
    private Runnable atEnd = () -> {};

    VertexRescale(
            VertexScaling scaling,
            RescaleContext context,
            EventTimeForecast forecast,
            Listener listener) {
        this.scaling = scaling;
        this.vertex = scaling.vertex;
        this.context = context;
        this.listener = listener;
        this.plan = scaling.batchSize.begin(scaling.plan, context.checkpointedBytes(vertex.id()));
        this.startNanos = context.nanoTime();
        this.stepTimes = new StepTimes(scaling.settings.stepDuration().toNanos());
        this.watermarkAlignment = new WatermarkAlignment(scaling, participants, this::stepsLeft);
        this.yields = new Yields(scaling, participants, forecast);
        this.pace =
                new CheckpointPace(
                        scaling.settings.abortsCheckpoints(), context.checkpoints().timeoutNanos());
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
            enter(new Deploying(this));
        } else {
            quiesce(this::begin);
        }
    }

    void onReport(AttemptId task, TaskReport report) {
        if (report.rescale != null && !report.rescale.equals(scaling.id)) {
            LOG.debug("Dropped {} of {}: it belongs to an earlier rescale", report, task);
        } else if (report instanceof TaskReport.FirstRecord) {
            if (figures.onRecord(context.nanoTime())) {
                mark("first record at a new owner");
            }
        } else if (report instanceof TaskReport.WatermarkRisen) {
            onEventTime(task, ((TaskReport.WatermarkRisen) report).time);
            if (current != null && current.isBetweenSteps()) {
                watermarkAlignment.alignSoon(current);
            }
        } else if (current != null) {
            current.onReport(task, report);
        }
    }

    /** A task has finished: it will not report any more. */
    void onFinished(AttemptId task) {
        if (current != null) {
            current.onFinished(task);
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
        if (current instanceof Undeploying) {
            return true;
        }
        if (current == null || current instanceof Connecting || current instanceof Withdrawing) {
            return false;
        }
        LOG.warn(
                "Rescale {} of {}: new subtask {} has failed.",
                scaling.name,
                vertex,
                subtask,
                cause);
        String reason = "new subtask " + subtask + " of " + vertex.name() + " has failed: " + cause;
        tellEnd();
        if (hasMessage(cause, NO_BUFFERS)) {
            // another attempt would find no more of them
            undeploy(reason);
            return true;
        }
        undeploy(false, reason, () -> listener.onNewSubtaskFailed(reason));
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

    /** The job restarts: whatever has moved, the state will be redistributed anew. */
    void abandon() {
        enter(null);
        StoredElasticity.Vertex stable = stable();
        vertex.settle(stable.assignment, stable.parallelism);
        context.checkpoints().release();
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
        if (current instanceof Deploying) {
            undeploy(reason);
        } else if (current instanceof Yielding) {
            current.within(Duration.ZERO, () -> giveUp(reason));
        }
        return true;
    }

    /** What it is doing; null at the end. */
    @Nullable
    RescaleState state() {
        return current == null ? null : current.shown;
    }

    /** Its steps so far, and those to come as they are foreseen. */
    RescalePlan plan() {
        return plan;
    }

    MigrationFigures figures() {
        return figures;
    }

    // ------------------------------------------------------------------------
    //  From state to state
    // ------------------------------------------------------------------------

    private void enter(@Nullable State<?> next) {
        current = next;
        if (next != null) {
            if (next.isBetweenSteps()) {
                watermarkAlignment.align();
            }
            next.enter();
        }
    }

    @Override
    public void onDeployed() {
        mark("deployed");
        quiesce(this::begin);
    }

    private void quiesce(Runnable then) {
        enter(
                new Quiescing(
                        this,
                        pace,
                        () -> {
                            mark("quiet");
                            then.run();
                        }));
    }

    private void begin() {
        enter(new Beginning(this, participants));
    }

    /** Whether it is to keep steps short: event time has to wait for their end. */
    private boolean timeMatters() {
        return scaling.settings.limitsStepDuration() && participants.haveEventTime();
    }

    @Override
    public void onBegun() {
        mark("begun");
        if (timeMatters()) {
            plan = scaling.batchSize.beginWith(plan, stepTimes.next());
        }
        if (scaling.isScaleOut()) {
            yieldToTimers(stepTimes.wanted(), this::connect);
        } else {
            goToNextStep();
        }
    }

    private void connect() {
        if (scaling.isJobEnding()) {
            giveUp(JOB_IS_ENDING);
            return;
        }
        yields.mayYieldAgain();
        enter(new Connecting(this));
    }

    /**
     * Goes on, but not at a time at which a watermark had to wait that has timers fire.
     *
     * @param nanos how long it would have to wait
     */
    private void yieldToTimers(long nanos, Runnable then) {
        int step = figures.steps();
        OptionalLong timer =
                timeMatters() ? yields.timer(step, stepsLeft(), nanos) : OptionalLong.empty();
        if (!timer.isPresent()) {
            then.run();
            return;
        }
        enter(
                new Yielding(
                        this,
                        yields.limit(nanos),
                        () -> participants.watermarkOfReceivers() >= timer.getAsLong(),
                        passed -> {
                            yields.onYielded(step, passed);
                            then.run();
                        }));
    }

    @Override
    public void onConnected() {
        vertex.connectUpTo(scaling.to);
        mark("connected");
        if (scaling.handsOverBroadcastState()) {
            run(
                    StepMoves.handover(vertex.nextStep(), BROADCAST_DONOR, scaling.newSubtasks()),
                    () -> {
                        mark("broadcast state handed over");
                        goToNextStep();
                    });
        } else {
            goToNextStep();
        }
    }

    @Override
    public void onPaused() {
        goToNextStep();
    }

    private void goToNextStep() {
        List<Step> steps = plan.steps();
        if (figures.steps() == steps.size()) {
            migrated();
        } else if (stopReason() != null) {
            giveUp(stopReason());
        } else if (isPauseDue()) {
            enter(new Pausing(this, pace));
        } else {
            Step step = steps.get(figures.steps());
            yieldToTimers(stepTimes.expected(step.size()), () -> runUnlessPauseIsDue(step));
        }
    }

    private void runUnlessPauseIsDue(Step step) {
        if (isPauseDue()) {
            enter(new Pausing(this, pace));
        } else {
            run(step);
        }
    }

    private void run(Step step) {
        long since = context.nanoTime();
        run(moves(step), () -> stepDone(step, context.nanoTime() - since));
    }

    /** Who asks for a savepoint wants it now. */
    @Override
    public boolean isPauseDue() {
        CheckpointControl checkpoints = context.checkpoints();
        return checkpoints.isOneWaiting()
                && (checkpoints.isSavepointAwaited() || pace.isPauseDue(context.nanoTime()));
    }

    private StepMoves moves(Step step) {
        List<Move> list = new ArrayList<>(step.moves());
        return new StepMoves(
                vertex.nextStep(),
                list.stream().mapToInt(Move::keyGroup).toArray(),
                list.stream().mapToInt(Move::from).toArray(),
                list.stream().mapToInt(Move::to).toArray());
    }

    private List<Step> stepsLeft() {
        return plan.steps().subList(figures.steps(), plan.steps().size());
    }

    private void run(StepMoves moves, Runnable then) {
        long watermark = participants.nextWatermarkOfReceivers(stepsLeft());
        enter(
                new Starting(
                        this,
                        moves,
                        participants,
                        watermark,
                        completedEarly -> {
                            Migrating migrating = new Migrating(this, moves, figures, then);
                            enter(migrating);
                            completedEarly.forEach(migrating::onReport);
                        }));
    }

    private void stepDone(Step step, long nanos) {
        stepTimes.add(step.size(), nanos);
        figures.onStepCompleted();
        vertex.assign(plan.after(figures.steps()));
        int inTime = timeMatters() ? stepTimes.next() : Integer.MAX_VALUE;
        plan = scaling.batchSize.goOn(plan, figures.steps(), figures.bytesOfStep(), inTime);
        goToNextStep();
    }

    private void migrated() {
        migrated = true;
        listener.onMigrated();
        mark("migrated");
        tellEnd();
        if (scaling.isScaleIn()) {
            enter(new Draining(this));
        } else {
            finish();
        }
    }

    @Override
    public void onDrained() {
        mark("drained");
        if (context.checkpoints().isEnabled()) {
            enter(new Confirming(this));
        } else {
            quiesce(this::retire);
        }
    }

    @Override
    public void onConfirmed(long checkpoint) {
        mark("confirmed by checkpoint " + checkpoint);
        enter(new Reading(this, checkpoint));
    }

    @Override
    public void onRead(Runnable carry) {
        atEnd = carry;
        quiesce(this::retire);
    }

    private void retire() {
        enter(new Retiring(this));
    }

    @Override
    public void onRetired() {
        mark("retired");
        enter(new Cancelling(this));
    }

    @Override
    public void onCancelled() {
        mark("cancelled");
        enter(new Disconnecting(this, scaling.to, scaling.from, false, this::finish));
    }

    private void finish() {
        mark("finished");
        enter(null);
        atEnd.run();
        vertex.settle(scaling.plan.to(), scaling.to);
        context.checkpoints().release();
        listener.onFinished();
    }

    /** Who does not hear of it holds back event time for good. */
    private void tellEnd() {
        tellEnd(subtask -> true);
    }

    private void tellEnd(IntPredicate which) {
        for (int subtask : participants.told()) {
            if (which.test(subtask)) {
                scaling.tellUntilHeard(subtask, new TaskCommand.End(scaling.id));
            }
        }
    }

    /**
     * @param opened whether upstreams may have opened their channels to the new subtasks
     */
    private void undeploy(boolean opened, String reason, Runnable then) {
        enter(
                new Undeploying(
                        this,
                        () -> {
                            context.checkpoints().release();
                            // they may have run, and asked for their partitions
                            enter(
                                    new Disconnecting(
                                            this,
                                            scaling.from,
                                            scaling.to,
                                            !opened,
                                            () -> undeployed(reason, then)));
                        }));
    }

    private void undeployed(String reason, Runnable then) {
        enter(null);
        LOG.info("Rescale {} of {}: new subtasks are gone again, {}", scaling.name, vertex, reason);
        vertex.settle(vertex.assignment(), scaling.from);
        then.run();
    }

    // ------------------------------------------------------------------------
    //  What states may do
    // ------------------------------------------------------------------------

    @Override
    public VertexScaling scaling() {
        return scaling;
    }

    @Override
    public boolean isAt(State<?> one) {
        return current == one;
    }

    @Override
    public void schedule(Runnable action, Duration delay) {
        context.schedule(action, delay);
    }

    @Override
    public CheckpointControl checkpoints() {
        return context.checkpoints();
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        return context.checkpoints().letOnePass();
    }

    @Override
    @Nullable
    public String whyNoneCanLeave() {
        return scaling.whyNoneCanLeave();
    }

    @Override
    public CompletableFuture<?> deploy() {
        vertex.deployUpTo(scaling.to);
        return context.deploy(vertex, scaling.from, scaling.to);
    }

    @Override
    public CompletableFuture<?> cancelNew() {
        return context.cancel(vertex, scaling.from, scaling.to);
    }

    @Override
    public CompletableFuture<?> cancelLeaving() {
        vertex.deployUpTo(scaling.to);
        return context.cancel(vertex, scaling.to, scaling.from);
    }

    @Override
    public void publishNewSubtasks() {
        // barriers of one that was aborted may still be on their way to the consumers
        vertex.joinAfter(context.checkpoints().lastPassed());
        context.publishPartitions(vertex, scaling.from, scaling.to);
    }

    @Override
    public void onInputEnds() {
        vertex.endInputOf(
                scaling.leavingSubtasks().stream()
                        .mapToObj(scaling::attempt)
                        .collect(Collectors.toSet()));
    }

    @Override
    public CompletableFuture<Runnable> readListState(long checkpoint) {
        return context.readListState(vertex, scaling.to, scaling.from, checkpoint);
    }

    @Override
    public void onEventTime(AttemptId task, EventTime time) {
        for (int subtask : participants.told()) {
            if (scaling.attempt(subtask).equals(task)) {
                participants.onWatermark(subtask, time.watermark);
            }
        }
        yields.observe(task, time);
    }

    @Override
    public void alignWatermarksOfOthers(StepMoves moves, long watermarkOfReceivers) {
        BitSet part = moves.participants();
        watermarkAlignment.align(watermarkOfReceivers, subtask -> !part.get(subtask));
    }

    @Override
    @Nullable
    public String stopReason() {
        if (migrated) {
            return null;
        }
        return stopReason == null ? scaling.whyNoneCanLeave() : stopReason;
    }

    private void mark(String what) {
        long ms = (context.nanoTime() - startNanos) / 1_000_000;
        LOG.info("Rescale {} of {}: {} after {} ms.", scaling.name, vertex, what, ms);
    }

    @Override
    public void undeploy(String reason) {
        undeploy(false, reason, () -> listener.onGivenUp(reason));
    }

    @Override
    public void withdraw(String reason) {
        // Not the new ones: without the broadcast state they would process broadcast records.
        tellEnd(subtask -> subtask < scaling.from);
        enter(
                new Withdrawing(
                        this, () -> undeploy(true, reason, () -> listener.onGivenUp(reason))));
    }

    @Override
    public void withdraw(String reason, TaskReport.NotConnected report, AttemptId consumer) {
        withdraw(reason);
        onReport(consumer, report);
    }

    @Override
    public void giveUp(String reason) {
        enter(null);
        tellEnd();
        if (vertex.deployed() > vertex.connected()) {
            undeploy(reason);
            return;
        }
        // new subtasks stay, with what they have got; the next rescale starts from there
        vertex.settle(vertex.assignment(), vertex.connected());
        context.checkpoints().release();
        listener.onGivenUp(reason);
    }

    @Override
    public void stay() {
        enter(null);
        vertex.settle(scaling.plan.to(), scaling.from);
        context.checkpoints().release();
        listener.onFinished();
    }

    @Override
    public void stay(String reason) {
        enter(null);
        vertex.settle(scaling.plan.to(), scaling.from);
        context.checkpoints().release();
        listener.onGivenUp(
                "all key-groups have moved, but "
                        + scaling.leavingSubtasks().cardinality()
                        + " subtask(s) of "
                        + vertex.name()
                        + " stay without any: "
                        + reason);
    }

    @Override
    public void failJob(Throwable cause) {
        // with the cause in it: the status of the rescale has but one line
        context.failJob(
                new RescaleException("The rescale of " + vertex + " has failed: " + cause, cause));
    }
}
