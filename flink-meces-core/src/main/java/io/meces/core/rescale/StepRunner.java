// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.command.EventTime;
import io.meces.core.command.StepMoves;
import io.meces.core.id.AttemptId;
import io.meces.core.job.MigrationFigures;
import io.meces.core.job.Participants;
import io.meces.core.plan.Step;
import io.meces.core.rescale.state.Migrating;
import io.meces.core.rescale.state.Pausing;
import io.meces.core.rescale.state.Starting;
import io.meces.core.rescale.state.Transferring;
import io.meces.core.rescale.state.WatermarkAlignment;
import io.meces.core.rescale.state.Yielding;
import java.util.BitSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Carries out the steps of the rescale of a vertex, one after the other. Between two of them it
 * stops, pauses for a checkpoint, or lets a watermark go first. Owned by the JobMaster's main
 * thread.
 */
final class StepRunner extends RescalePart
        implements Starting.Context,
                Migrating.Context,
                Transferring.Context,
                Pausing.Context,
                Yielding.Context {

    /** How long before a checkpoint subtasks begin to get ready for it. */
    private static final long AHEAD_NANOS = 1_000_000_000;

    private final StepSchedule steps;
    private final MigrationFigures figures;
    private final Participants participants;
    private final WatermarkAlignment alignment;
    private final CheckpointPace pace;
    private final WatermarkPrecedence yields;
    private final Listener listener;

    StepRunner(
            RescalePart whole,
            StepSchedule steps,
            MigrationFigures figures,
            Participants participants,
            WatermarkAlignment alignment,
            CheckpointPace pace,
            WatermarkPrecedence yields,
            Listener listener) {
        super(whole);
        this.steps = steps;
        this.figures = figures;
        this.participants = participants;
        this.alignment = alignment;
        this.pace = pace;
        this.yields = yields;
        this.listener = listener;
    }

    /** Who decides on the whole rescale. */
    interface Listener {

        /** Why no further step is to begin; null: it is. */
        @Nullable
        String stopReason();

        /** At a step's boundary: what has moved has moved, the rest stays. */
        void giveUp(String reason);

        /** All key-groups have moved. */
        void onMigrated();
    }

    /** Whether it is to keep steps short: event time has to wait for their end. */
    private boolean timeMatters() {
        return scaling.settings.limitsStepDuration() && participants.haveEventTime();
    }

    /** The participants have told how far they are. */
    void onBegun() {
        if (timeMatters()) {
            steps.limitFirst();
        }
    }

    /** Does something of which it is not known how long it takes, as {@link #yieldToTimers}. */
    void yieldBefore(Runnable then) {
        yieldToTimers(
                steps.wantedNanos(),
                () -> {
                    // what it does takes its time
                    yields.mayYieldAgain();
                    then.run();
                });
    }

    /**
     * Goes on, but not at a time at which a watermark had to wait that has timers fire.
     *
     * @param nanos how long it would have to wait
     */
    private void yieldToTimers(long nanos, Runnable then) {
        int step = steps.number();
        OptionalLong timer =
                timeMatters() ? yields.timer(step, steps.left(), nanos) : OptionalLong.empty();
        if (!timer.isPresent()) {
            then.run();
            return;
        }
        current.enter(
                new Yielding(
                        this,
                        yields.limit(nanos),
                        () -> participants.watermarkOfReceivers() >= timer.getAsLong(),
                        passed -> {
                            yields.onYielded(step, passed);
                            then.run();
                        }));
    }

    /** A step in which nothing moves, but the new subtasks get the broadcast state. */
    void handOverBroadcastState(int donor, Runnable then) {
        run(
                StepMoves.handover(vertex.nextStep(), donor, scaling.newSubtasks()),
                nobody -> then.run());
    }

    /** To be called at a step's boundary. */
    void goOn() {
        Step next = steps.next();
        String stop = listener.stopReason();
        if (next == null) {
            listener.onMigrated();
        } else if (stop != null) {
            giveUp(stop);
        } else if (isPauseDue()) {
            current.enter(new Pausing(this, pace));
        } else {
            yieldToTimers(steps.expectedNanos(next), () -> runUnlessPauseIsDue(next));
        }
    }

    private void runUnlessPauseIsDue(Step step) {
        if (isPauseDue()) {
            current.enter(new Pausing(this, pace));
        } else {
            run(step);
        }
    }

    private void run(Step step) {
        long since = job.nanoTime();
        StepMoves moves = steps.moves(step, checkpointAfter(since));
        run(
                moves,
                awaitingData -> {
                    steps.onMoved(step, job.nanoTime() - since);
                    if (awaitingData.isEmpty()) {
                        onCompleted();
                    } else {
                        current.enter(
                                new Transferring(
                                        this,
                                        moves.step(),
                                        awaitingData,
                                        figures,
                                        this::onCompleted));
                    }
                });
    }

    /**
     * From when on subtasks are to get ready for a checkpoint, of a step that begins now, in ns.
     */
    private long checkpointAfter(long now) {
        long until =
                pace.untilPause(
                        now, checkpoints().isOneWaiting() ? 0 : checkpoints().untilNextNanos());
        return Math.max(0, until - AHEAD_NANOS);
    }

    private void onCompleted() {
        steps.onCompleted(timeMatters());
        goOn();
    }

    /**
     * @param then is given the receivers that still await data
     */
    private void run(StepMoves moves, Consumer<Set<AttemptId>> then) {
        long watermark = participants.nextWatermarkOfReceivers(steps.left());
        current.enter(
                new Starting(
                        this,
                        moves,
                        participants,
                        watermark,
                        completedEarly -> {
                            Migrating migrating = new Migrating(this, moves, figures, then);
                            current.enter(migrating);
                            completedEarly.forEach(
                                    early -> migrating.onReport(early.task, early.report));
                        }));
    }

    /** Who asks for a savepoint wants it now. */
    @Override
    public boolean isPauseDue() {
        return checkpoints().isOneWaiting()
                && (checkpoints().isSavepointAwaited() || pace.isPauseDue(job.nanoTime()));
    }

    @Override
    public void onPaused() {
        goOn();
    }

    @Override
    public void giveUp(String reason) {
        listener.giveUp(reason);
    }

    @Override
    public void onEventTime(AttemptId task, EventTime time) {
        participants.onWatermark(task, time.watermark);
        yields.observe(task, time);
    }

    @Override
    public void alignWatermarksOfOthers(StepMoves moves, long watermarkOfReceivers) {
        BitSet part = moves.participants();
        alignment.align(watermarkOfReceivers, subtask -> !part.get(subtask));
    }
}
