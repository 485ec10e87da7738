// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskReport;
import io.meces.core.id.VertexId;
import io.meces.core.rescale.RecordedRescale;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The states in which subtask 1 of 2 leaves. */
class ScaleInStatesTest {

    private static final long CHECKPOINT = 5;
    private static final Duration PATIENCE = Duration.ofMillis(200);
    private static final int ATTEMPTS = 10;

    private final RecordedRescale rescale = new RecordedRescale(2, 1);
    private final UUID id = rescale.scaling().id;

    // ------------------------------------------------------------------------
    //  Draining
    // ------------------------------------------------------------------------

    @Test
    void drainingEndsWhenTheOperatorsOfThoseThatLeaveHaveEnded() {
        rescale.enter(new Draining(rescale));
        assertThat(rescale.takeCalls()).containsExactly("onInputEnds");
        assertThat(rescale.job.takeSent()).containsExactly("EndInput");
        rescale.report(1, new TaskReport.InputEnded(id));
        assertThat(rescale.takeCalls()).containsExactly("onDrained");
    }

    @Test
    void drainingHasThemStayWhereTheyCannotLeave() {
        rescale.obstacle = "no checkpoint can be";
        rescale.enter(new Draining(rescale));
        assertThat(rescale.takeCalls()).containsExactly("stay: no checkpoint can be");
        rescale.job.finished.add(rescale.source + "/0");
        rescale.enter(new Draining(rescale));
        assertThat(rescale.takeCalls()).containsExactly("stay");
        assertThat(rescale.job.takeSent()).isEmpty();
    }

    // ------------------------------------------------------------------------
    //  Confirming
    // ------------------------------------------------------------------------

    private void confirmed(long checkpoint) {
        rescale.report(1, new TaskReport.CheckpointConfirmed(id, checkpoint));
    }

    private void complete(int attempt) {
        rescale.job.checkpoints.get(attempt).complete(CHECKPOINT);
    }

    @Test
    void confirmingEndsWhenThoseThatLeaveHaveHeardOfTheCheckpoint() {
        rescale.enter(new Confirming(rescale));
        complete(0);
        confirmed(CHECKPOINT - 1);
        assertThat(rescale.takeCalls()).isEmpty();
        confirmed(CHECKPOINT);
        assertThat(rescale.takeCalls()).containsExactly("onConfirmed: 5");
    }

    @Test
    void confirmingTakesAWordThatComesBeforeTheCheckpointIsKnown() {
        rescale.enter(new Confirming(rescale));
        confirmed(CHECKPOINT);
        assertThat(rescale.takeCalls()).isEmpty();
        complete(0);
        assertThat(rescale.takeCalls()).containsExactly("onConfirmed: 5");
    }

    @Test
    void confirmingTriesTenCheckpointsThatFailOrAreNotConfirmed() {
        rescale.enter(new Confirming(rescale));
        complete(0);
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        for (int failed = 1; failed < ATTEMPTS; failed++) {
            rescale.job.advance(PATIENCE);
            assertThat(rescale.takeCalls()).isEmpty();
            rescale.job.checkpoints.get(failed).completeExceptionally(new IOException("full"));
        }
        assertThat(rescale.takeCalls()).containsExactly("failJob: full");
        assertThat(rescale.job.checkpoints).hasSize(ATTEMPTS);
    }

    @Test
    void confirmingGoesOnTryingIfTheJobCannotRestart() {
        rescale.job.canRestart = false;
        rescale.enter(new Confirming(rescale));
        for (int i = 0; i < 2 * ATTEMPTS; i++) {
            rescale.job.checkpoints.get(i).completeExceptionally(new IOException("expired"));
            rescale.job.advance(PATIENCE);
        }
        assertThat(rescale.takeCalls()).isEmpty();
        assertThat(rescale.job.checkpoints).hasSize(2 * ATTEMPTS + 1);
    }

    @Test
    void confirmingHasThemStayWhenACheckpointFailsBecauseTheJobEnds() {
        rescale.enter(new Confirming(rescale));
        rescale.job.finished.add(rescale.source + "/0");
        rescale.job.checkpoints.get(0).completeExceptionally(new IOException("finished"));
        assertThat(rescale.takeCalls()).containsExactly("stay");
    }

    @Test
    void confirmingLetsACheckpointBeWhenATaskFinishesThatItOutlives() {
        rescale.job.checkpointsOutliveTasks = true;
        rescale.enter(new Confirming(rescale));
        rescale.finish(VertexId.random());
        assertThat(rescale.takeCalls()).isEmpty();
        assertThat(rescale.job.checkpoints).hasSize(1);
    }

    @Test
    void confirmingHasThemStayWhenNoCheckpointCanBeAnyMore() {
        rescale.enter(new Confirming(rescale));
        rescale.obstacle = "a source has finished";
        rescale.job.checkpoints.get(0).completeExceptionally(new IOException("finished"));
        rescale.job.advance(PATIENCE);
        assertThat(rescale.takeCalls()).containsExactly("stay: a source has finished");
    }

    // ------------------------------------------------------------------------
    //  Reading, Retiring, Cancelling
    // ------------------------------------------------------------------------

    @Test
    void readingEndsWithWhatIsToBeCarried() {
        AtomicBoolean carried = new AtomicBoolean();
        rescale.enter(new Reading(rescale, CHECKPOINT));
        rescale.job.listState.complete(() -> carried.set(true));
        assertThat(rescale.takeCalls()).containsExactly("readListState: 5", "onRead");
        assertThat(carried).isTrue();
    }

    @Test
    void readingRestartsTheJobWithWhatCannotBeCarried() {
        rescale.enter(new Reading(rescale, CHECKPOINT));
        rescale.job.listState.completeExceptionally(new IOException("too large"));
        assertThat(rescale.takeCalls())
                .last()
                .asString()
                .startsWith("failJob: The list state of subtasks that leave is handed over");
    }

    @Test
    void readingHasThemStayWithWhatCannotBeCarriedIfTheJobCannotRestart() {
        rescale.job.canRestart = false;
        rescale.enter(new Reading(rescale, CHECKPOINT));
        rescale.job.listState.completeExceptionally(new IOException("too large"));
        assertThat(rescale.takeCalls())
                .last()
                .asString()
                .startsWith("stay: their list state cannot be handed over: ")
                .endsWith("too large");
    }

    @Test
    void noTimeEndsAJobThatCannotRestart() {
        rescale.job.canRestart = false;
        rescale.enter(new Reading(rescale, CHECKPOINT));
        for (int i = 0; i < 3; i++) {
            rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        }
        assertThat(rescale.takeCalls()).containsExactly("readListState: 5");

        rescale.job.canRestart = true;
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("failJob: READING took longer");
    }

    @Test
    void readingIsBounded() {
        rescale.enter(new Reading(rescale, CHECKPOINT));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .last()
                .asString()
                .startsWith("failJob: READING took longer");
    }

    @Test
    void retiringEndsWhenTheConsumersHaveReadTheLastOfThem() {
        rescale.enter(new Retiring(rescale, RescaleState.RETIRING, 1, 2, rescale.next()));
        assertThat(rescale.job.takeSent()).containsExactly("Retire");
        rescale.report(1, new TaskReport.Retired(id));
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.report(rescale.sinkTask(), new TaskReport.ChannelChanged(0, 1, false));
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    @Test
    void cancellingEndsWhenTheyAreGone() {
        rescale.enter(
                new Cancelling(
                        rescale, RescaleState.CANCELLING, rescale::cancelLeaving, rescale.next()));
        assertThat(rescale.takeCalls()).containsExactly("cancelLeaving");
        rescale.job.cancellation.complete(null);
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    @Test
    void cancellingRestartsTheJobIfAFailoverInterferes() {
        rescale.enter(
                new Cancelling(
                        rescale, RescaleState.CANCELLING, rescale::cancelLeaving, rescale.next()));
        rescale.job.cancellation.completeExceptionally(new IllegalStateException("taken over"));
        assertThat(rescale.takeCalls()).containsExactly("cancelLeaving", "failJob: taken over");
    }
}
