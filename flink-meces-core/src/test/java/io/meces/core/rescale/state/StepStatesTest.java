// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.DataStatistics;
import io.meces.core.command.ReadAheadUse;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.job.MigrationFigures;
import io.meces.core.job.Participants;
import io.meces.core.rescale.FakeContext;
import io.meces.core.rescale.RecordedRescale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The states of a step, and those around it. From 2 subtasks to 1: key-group 5 goes 1 to 0. */
class StepStatesTest {

    private static final long STEP = 7;
    private static final long WATERMARK = 40;
    private static final Duration LIMIT = Duration.ofMillis(200);

    private final RecordedRescale rescale = new RecordedRescale(2, 1);
    private final UUID id = rescale.scaling().id;
    private final StepMoves moves =
            new StepMoves(STEP, new int[] {5}, new int[] {1}, new int[] {0}, 0);

    private TaskReport.StepCompleted completed(long step) {
        return new TaskReport.StepCompleted(
                id,
                step,
                RecordedRescale.AT_0,
                new StepStatistics(4, 1, 100, 0, RecordWaits.NONE, ReadAheadUse.NONE),
                false,
                0,
                0);
    }

    private TaskReport.StepCompleted completedButForData(long step) {
        return new TaskReport.StepCompleted(
                id,
                step,
                RecordedRescale.AT_0,
                new StepStatistics(4, 1, 100, 0, RecordWaits.NONE, ReadAheadUse.NONE),
                true,
                0,
                0);
    }

    private TaskReport.DataCompleted dataCompleted(long step) {
        return new TaskReport.DataCompleted(
                id, step, RecordedRescale.AT_0, new DataStatistics(1_000, 3, RecordWaits.NONE));
    }

    // ------------------------------------------------------------------------
    //  Quiescing
    // ------------------------------------------------------------------------

    private void quiesce(RecordedRescale of) {
        of.enter(new Quiescing(of, of.pace(), of.next()));
    }

    @Test
    void quiescingEndsWhenNoCheckpointIsOnItsWay() {
        rescale.job.quiet = false;
        quiesce(rescale);
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.job.quiet = true;
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).containsExactly("next");
        assertThat(rescale.job.log).containsExactly("hold");
    }

    @Test
    void quiescingTakesAnAlignedCheckpointIfOneWithRecordsInFlightWouldBeRestored() {
        rescale.job.inFlight = true;
        quiesce(rescale);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.job.checkpoints.get(0).completeExceptionally(new RescaleException("expired"));
        rescale.job.advance(Quiescing.PATIENCE);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.job.inFlight = false;
        rescale.job.checkpoints.get(1).complete(8L);
        assertThat(rescale.takeCalls()).containsExactly("next");
        assertThat(rescale.job.checkpoints).hasSize(2);
    }

    @Test
    void quiescingEndsTheRescaleIfNoAlignedCheckpointCompletes() {
        rescale.job.inFlight = true;
        quiesce(rescale);
        for (int i = 0; i < Quiescing.ATTEMPTS; i++) {
            rescale.job.checkpoints.get(i).completeExceptionally(new RescaleException("expired"));
            rescale.job.advance(Quiescing.PATIENCE);
        }
        assertThat(rescale.job.checkpoints).hasSize(Quiescing.ATTEMPTS);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("giveUp: the job takes unaligned checkpoints");
    }

    @Test
    void quiescingAbortsCheckpointsWhereThatIsConfigured() {
        RecordedRescale aborting = new RecordedRescale(2, 1, RunningCheckpoint.ABORT);
        aborting.job.quiet = false;
        quiesce(aborting);
        assertThat(aborting.job.log).containsExactly("hold", "abort");
        assertThat(aborting.takeCalls()).containsExactly("next");
    }

    @Test
    void quiescingAbortsACheckpointThatStandsAndThenPausesSeldom() {
        RecordedRescale deciding = new RecordedRescale(2, 1, RunningCheckpoint.AUTO);
        deciding.job.quiet = false;
        quiesce(deciding);
        deciding.job.advance(State.POLL);
        assertThat(deciding.job.log).containsExactly("hold");
        deciding.job.standing = true;
        deciding.job.advance(State.POLL);
        deciding.job.advance(State.POLL);
        assertThat(deciding.job.log).containsExactly("hold", "abort standing");
        assertThat(deciding.takeCalls()).containsExactly("next");
        long resumed = deciding.job.nanoTime() - State.POLL.toNanos();
        long seldom =
                FakeContext.CHECKPOINT_TIMEOUT.dividedBy(CheckpointPace.SHARE_OF_TIMEOUT).toNanos();
        assertThat(deciding.pace().isPauseDue(resumed + seldom / 2)).isFalse();
    }

    @Test
    void quiescingDoesNotPauseSeldomForACheckpointThatIsStoredMeanwhile() {
        RecordedRescale deciding = new RecordedRescale(2, 1, RunningCheckpoint.AUTO);
        // for another rescale
        deciding.job.standing = true;
        deciding.job.abortStanding();
        deciding.job.quiet = false;
        quiesce(deciding);
        deciding.job.advance(State.POLL);
        deciding.job.quiet = true;
        deciding.job.advance(State.POLL);
        assertThat(deciding.takeCalls()).containsExactly("next");
        assertThat(deciding.pace().isPauseDue(deciding.job.nanoTime() + 2 * State.POLL.toNanos()))
                .isTrue();
    }

    @Test
    void quiescingWaitsForACheckpointThatStandsWhereThatIsConfigured() {
        rescale.job.quiet = false;
        rescale.job.standing = true;
        quiesce(rescale);
        rescale.job.advance(State.POLL);
        assertThat(rescale.job.log).containsExactly("hold");
    }

    @Test
    void quiescingIsGivenUpWhenTheRescaleIsToEnd() {
        rescale.job.quiet = false;
        quiesce(rescale);
        rescale.stopReason = "enough";
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).containsExactly("giveUp: enough");
    }

    @Test
    void quiescingIsGivenUpWhenTheJobEnds() {
        rescale.job.finished.add(rescale.source + "/0");
        quiesce(rescale);
        assertThat(rescale.takeCalls())
                .containsExactly("giveUp: all that count reads from has finished");
    }

    @Test
    void quiescingAbortsACheckpointOfWhichATaskThatHasFinishedMayNotHaveHeard() {
        rescale.job.quiet = false;
        rescale.job.finished.add("elsewhere");
        quiesce(rescale);
        assertThat(rescale.job.log).containsExactly("hold", "abort");
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    // ------------------------------------------------------------------------
    //  Starting, Migrating
    // ------------------------------------------------------------------------

    private void start() {
        Participants participants = new Participants();
        rescale.enter(
                new Starting(
                        rescale,
                        moves,
                        participants,
                        WATERMARK,
                        early -> early.forEach(e -> rescale.next().run())));
    }

    @Test
    void startingTellsDonorAndReceiverAndLetsTheOthersRise() {
        start();
        assertThat(rescale.job.takeSent()).containsExactly("StartStep", "StartStep");
        assertThat(rescale.takeCalls()).containsExactly("alignWatermarksOfOthers: " + WATERMARK);
    }

    @Test
    void startingPassesOnWhoHasCompletedTheStepBeforeAllHaveStartedIt() {
        start();
        rescale.takeCalls();
        rescale.report(0, new TaskReport.StepStarted(id, STEP));
        rescale.report(0, completed(STEP));
        rescale.report(1, new TaskReport.StepStarted(id, STEP - 1));
        assertThat(rescale.takeCalls()).as("that was of an earlier step").isEmpty();
        rescale.report(1, new TaskReport.StepStarted(id, STEP));
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    @Test
    void startingRestartsTheJobWhenItTakesTooLong() {
        start();
        rescale.takeCalls();
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("failJob: STARTING took longer");
    }

    @Test
    void migratingEndsWhenDonorAndReceiverHaveCompletedTheStep() {
        MigrationFigures figures = new MigrationFigures();
        rescale.enter(new Migrating(rescale, moves, figures, none -> rescale.next().run()));
        assertThat(rescale.job.takeSent()).containsExactly("Switch");
        rescale.report(0, completed(STEP));
        rescale.report(1, completed(STEP - 1));
        assertThat(rescale.takeCalls()).containsExactly("onEventTime: 0");
        rescale.report(1, completed(STEP));
        assertThat(rescale.takeCalls()).containsExactly("onEventTime: 0", "next");
        assertThat(figures.units()).isEqualTo(8);
    }

    @Test
    void migratingMayTakeLongAsLongAsQueuesAreWorkedOff() {
        migrate();
        for (int i = 0; i < 9; i++) {
            rescale.report(1, new TaskReport.StepProceeds(id, STEP));
            rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
            assertThat(rescale.takeCalls()).isEmpty();
        }
        rescale.report(1, new TaskReport.StepProceeds(id, STEP));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .as("an upstream that hangs sends no marker, however long others go on")
                .singleElement()
                .asString()
                .startsWith("failJob: MIGRATING took longer");
    }

    @Test
    void migratingRestartsTheJobWhenNothingIsWorkedOff() {
        migrate();
        rescale.report(1, new TaskReport.StepProceeds(id, STEP - 1));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("failJob: MIGRATING took longer");
    }

    @Test
    void whoWaitsInVainSaysWhatKeepsMessages() {
        migrate();
        rescale.hindrances.put(rescale.scaling().attempt(1), "Redis is away");
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("failJob: MIGRATING took longer")
                .endsWith(
                        "; messages do not get through: {"
                                + rescale.scaling().attempt(1)
                                + "=Redis is away}");
    }

    private void migrate() {
        rescale.enter(
                new Migrating(
                        rescale, moves, new MigrationFigures(), none -> rescale.next().run()));
    }

    @Test
    void migratingTellsWhoStillAwaitsData() {
        List<AttemptId> awaiting = new ArrayList<>();
        MigrationFigures figures = new MigrationFigures();
        rescale.enter(new Migrating(rescale, moves, figures, awaiting::addAll));
        rescale.report(0, completedButForData(STEP));
        rescale.report(0, dataCompleted(STEP));
        rescale.report(1, completedButForData(STEP));
        assertThat(awaiting).containsExactly(rescale.scaling().attempt(1));
        assertThat(figures.bytes()).as("of two units and of data").isEqualTo(100 + 1_000 + 100);
        assertThat(figures.keysFetched()).isEqualTo(3);
    }

    @Test
    void transferringEndsWhenAllHaveTheirData() {
        MigrationFigures figures = new MigrationFigures();
        AttemptId receiver = rescale.scaling().attempt(0);
        rescale.enter(
                new Transferring(
                        rescale, STEP, Collections.singleton(receiver), figures, rescale.next()));
        rescale.report(0, dataCompleted(STEP - 1));
        assertThat(rescale.takeCalls()).as("that was of an earlier step").isEmpty();
        rescale.report(0, dataCompleted(STEP));
        assertThat(rescale.takeCalls()).containsExactly("onEventTime: 0", "next");
        assertThat(figures.bytes()).isEqualTo(1_000);
    }

    @Test
    void transferringMayTakeLongAsLongAsDataComes() {
        AttemptId receiver = rescale.scaling().attempt(0);
        rescale.enter(
                new Transferring(
                        rescale,
                        STEP,
                        Collections.singleton(receiver),
                        new MigrationFigures(),
                        rescale.next()));
        rescale.report(0, new TaskReport.StepProceeds(id, STEP));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls()).singleElement().asString().startsWith("failJob");
    }

    @Test
    void transferringRestartsTheJobWhenItTakesTooLong() {
        AttemptId receiver = rescale.scaling().attempt(0);
        rescale.enter(
                new Transferring(
                        rescale,
                        STEP,
                        Collections.singleton(receiver),
                        new MigrationFigures(),
                        rescale.next()));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("failJob: TRANSFERRING took longer");
    }

    @Test
    void migratingDoesNotTellAnUpstreamThatHasFinished() {
        rescale.job.finished.add(rescale.source + "/0");
        migrate();
        assertThat(rescale.job.takeSent()).isEmpty();
    }

    // ------------------------------------------------------------------------
    //  Pausing, Yielding
    // ------------------------------------------------------------------------

    @Test
    void pausingEndsWithTheCheckpointThatItLetsPass() {
        rescale.job.oneWaiting = true;
        rescale.enter(new Pausing(rescale, rescale.pace()));
        assertThat(rescale.job.checkpoints).hasSize(1);
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.job.quiet = true;
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).containsExactly("onPaused");
    }

    @Test
    void pausingIsGivenUpWhenTheJobEnds() {
        rescale.job.oneWaiting = true;
        rescale.enter(new Pausing(rescale, rescale.pace()));
        rescale.job.finished.add(rescale.source + "/0");
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls())
                .containsExactly("giveUp: all that count reads from has finished");
    }

    private void yield(AtomicBoolean passed) {
        rescale.enter(
                new Yielding(
                        rescale, LIMIT, passed::get, came -> rescale.leave("yielded: " + came)));
    }

    @Test
    void yieldingEndsWhenTheWatermarkHasPassed() {
        AtomicBoolean passed = new AtomicBoolean();
        yield (passed);
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).isEmpty();
        passed.set(true);
        rescale.alignWatermarks();
        assertThat(rescale.takeCalls()).containsExactly("yielded: true");
    }

    @Test
    void yieldingEndsWhenSomethingElseIsToBeDone() {
        yield (new AtomicBoolean());
        rescale.pauseDue = true;
        rescale.job.advance(State.POLL);
        assertThat(rescale.takeCalls()).containsExactly("yielded: true");
        yield (new AtomicBoolean());
        rescale.finish(rescale.source);
        assertThat(rescale.takeCalls()).containsExactly("yielded: true");
    }

    @Test
    void yieldingIsBounded() {
        yield (new AtomicBoolean());
        rescale.job.advance(LIMIT);
        assertThat(rescale.takeCalls()).containsExactly("yielded: false");
    }
}
