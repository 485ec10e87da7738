// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.AbortMode;
import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.api.ResourceRequirements;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.EventTime;
import io.meces.core.command.ReadAheadUse;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StateDescription;
import io.meces.core.command.StepStatistics;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.DataSetId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobState;
import io.meces.core.job.RescaleSettings;
import io.meces.core.job.StoredElasticity;
import io.meces.core.job.StoredElasticityFormat;
import io.meces.core.plan.Repartitioning;
import io.meces.core.requirement.Reconciliation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a controller makes of requirements; its tasks are played by the test. */
class StandingRequirementsTest {

    private static final EventTime AT_0 = new EventTime(0, Long.MAX_VALUE);
    private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(60);

    private final VertexId source = VertexId.random();
    private ElasticVertex vertex = vertex();
    private FakeContext context = new FakeContext(vertex);
    private RescaleController controller = controller();

    private ElasticVertex vertex() {
        ElasticVertex v = new ElasticVertex(new VertexId(0, 7), "count", 2, 8, 8, 4);
        v.addInput(DataSetId.random(), source);
        return v;
    }

    private RescaleController controller() {
        return new RescaleController(
                Collections.singletonList(vertex),
                null,
                Collections.emptyList(),
                new RescaleSettings(
                        8,
                        Long.MAX_VALUE,
                        Duration.ofDays(1),
                        SLOT_TIMEOUT,
                        Duration.ofSeconds(60),
                        RunningCheckpoint.AUTO,
                        1,
                        Repartitioning.named("minimal-move")),
                context);
    }

    private static ResourceRequirements bounds(String id, int lower, int upper) {
        return new ResourceRequirements(
                Collections.singletonMap(id, new ParallelismBounds(lower, upper)));
    }

    private void require(int lower, int upper) throws RescaleRefusedException {
        controller.require(bounds(vertex.id().toString(), lower, upper));
        context.advance(Duration.ZERO);
    }

    private List<RescaleDetails> rescales() {
        return controller.rescales().rescales();
    }

    private RescaleDetails last() {
        return rescales().get(rescales().size() - 1);
    }

    private int goal() {
        return last().vertices().get(0).to();
    }

    /** Plays the tasks of the running scale-out up to its end. */
    private void finishScaleOut() {
        int to = goal();
        context.deployment.complete(null);
        context.deployment = new CompletableFuture<>();
        UUID id = context.rescale;
        for (int s = 0; s < to; s++) {
            report(s, new TaskReport.Begun(id, new TransitionAddress("here", 1), AT_0));
        }
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id));
        long step = vertex.nextStep() - 1;
        for (int s = 0; s < to; s++) {
            report(s, new TaskReport.StepStarted(id, step));
        }
        for (int s = 0; s < to; s++) {
            report(
                    s,
                    new TaskReport.StepCompleted(
                            id,
                            step,
                            AT_0,
                            new StepStatistics(
                                    4, 1, 100, 0, new RecordWaits(0, 0, 0), ReadAheadUse.NONE),
                            false,
                            2,
                            0));
        }
        assertThat(last().status()).isEqualTo(RescaleStatus.FINISHED);
        context.advance(Duration.ZERO);
    }

    /** Plays the cluster that has no slots, or the end of a rescale that is taken back. */
    private void newSubtasksAreGone() {
        context.cancellation.complete(null);
        context.cancellation = new CompletableFuture<>();
        controller.onReport(
                context.attempt(source, 0), new TaskReport.Disconnected(context.rescale));
    }

    private void report(int subtask, TaskReport report) {
        controller.onReport(context.attempt(vertex.id(), subtask), report);
    }

    @Test
    void theUpperBoundIsReachedByARescaleAndARepeatChangesNothing() throws Exception {
        require(1, 3);
        assertThat(goal()).isEqualTo(3);
        assertThat(last().cause()).isEqualTo(RescaleCause.AUTOSCALER);
        require(1, 3);
        assertThat(rescales()).hasSize(1);
        assertThat(last().status()).isEqualTo(RescaleStatus.RUNNING);
        finishScaleOut();
        require(1, 3);
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).hasSize(1);
        assertThat(shown()).isEqualTo(new ParallelismBounds(1, 3));
    }

    private ParallelismBounds shown() {
        return controller.requirements().vertices().get(vertex.id().toString());
    }

    @Test
    void whereNothingIsRequiredThePresentParallelismIsTheUpperBound() {
        assertThat(shown()).isEqualTo(new ParallelismBounds(1, 2));
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).isEmpty();
        assertThat(controller.stored()).isNull();
    }

    @Test
    void theNewestWinsOverARescaleThatGoesElsewhere() throws Exception {
        require(1, 5);
        require(1, 3);
        // what has been deployed for it is taken back first
        newSubtasksAreGone();
        context.advance(Duration.ZERO);
        assertThat(rescales().get(0).status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(rescales()).hasSize(2);
        assertThat(goal()).isEqualTo(3);
    }

    @Test
    void aRescaleOnTheWayToMoreGoesOn() throws Exception {
        require(1, 3);
        require(1, 5);
        assertThat(last().status()).isEqualTo(RescaleStatus.RUNNING);
        finishScaleOut();
        assertThat(rescales()).hasSize(2);
        assertThat(goal()).isEqualTo(5);
        assertThat(last().cause()).isEqualTo(RescaleCause.AUTOSCALER);
    }

    @Test
    void withTooFewSlotsItGetsWhatFitsAndMoreWhenSlotsCome() throws Exception {
        context.freeSlots = CompletableFuture.completedFuture(1);
        require(1, 5);
        assertThat(goal()).isEqualTo(3);
        context.freeSlots = CompletableFuture.completedFuture(0);
        finishScaleOut();
        assertThat(goal()).as("asks for the others").isEqualTo(5);
        assertThat(last().cause()).isEqualTo(RescaleCause.SLOTS);
        context.advance(SLOT_TIMEOUT);
        newSubtasksAreGone();
        assertThat(last().status()).isEqualTo(RescaleStatus.FAILED);
        context.advance(Reconciliation.POLL);
        assertThat(rescales()).hasSize(2);
        context.freeSlots = CompletableFuture.completedFuture(1);
        context.advance(Reconciliation.POLL);
        assertThat(rescales()).hasSize(3);
        assertThat(goal()).isEqualTo(4);
        finishScaleOut();
    }

    @Test
    void aRescaleThatFailsIsTriedAgainLaterAndLater() throws Exception {
        require(1, 3);
        for (int attempts = 1; attempts < 4; attempts++) {
            assertThat(rescales()).hasSize(attempts);
            context.advance(SLOT_TIMEOUT);
            newSubtasksAreGone();
            assertThat(last().status()).isEqualTo(RescaleStatus.FAILED);
            context.advance(Duration.ZERO);
            context.advance(Duration.ofSeconds(5L << attempts).minusMillis(1));
            assertThat(rescales()).hasSize(attempts);
            context.advance(Duration.ofMillis(1));
            context.advance(Duration.ZERO);
        }
        assertThat(rescales()).hasSize(4);
    }

    @Test
    void anObstacleOfTheJobIsNotMetAgainBeforeSomethingChanges() throws Exception {
        context.state =
                CompletableFuture.completedFuture(
                        new StateDescription(new byte[0], "the timers of operator 'f'."));
        require(1, 3);
        assertThat(last().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(last().failure()).isEqualTo("the timers of operator 'f'.");
        assertThat(context.log).as("nothing is touched").doesNotContain("deploy 2..3");
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).hasSize(1);
        require(1, 4);
        assertThat(rescales()).hasSize(2);
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).hasSize(2);
        context.state = CompletableFuture.completedFuture(new StateDescription(new byte[0], null));
        controller.onFailure("a failure");
        context.advance(Reconciliation.POLL);
        assertThat(rescales()).hasSize(3);
        finishScaleOut();
    }

    @Test
    void whoMeetsAnObstacleByARequestMayAskAgain() throws Exception {
        context.state =
                CompletableFuture.completedFuture(new StateDescription(new byte[0], "timers."));
        for (int to : new int[] {3, 1, 3}) {
            controller.rescale(RescaleRequest.of(RescaleRequest.Target.byName(vertex.name(), to)));
            assertThat(last().failure()).isEqualTo("timers.");
        }
        assertThat(rescales()).hasSize(3);
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.failure).isNull();
    }

    @Test
    void whoAsksForARescaleTakesTheVertexOutOfTheRequirements() throws Exception {
        require(1, 3);
        finishScaleOut();
        controller.rescale(RescaleRequest.of(RescaleRequest.Target.byName(vertex.name(), 4)));
        finishScaleOut();
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).hasSize(2);
        assertThat(shown()).isEqualTo(new ParallelismBounds(1, 4));
        require(1, 6);
        assertThat(goal()).isEqualTo(6);
    }

    @Test
    void whoAbortsTheRescaleOfARequirementEndsThatToo() throws Exception {
        require(1, 3);
        controller.abort(last().id(), AbortMode.STOP);
        newSubtasksAreGone();
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).hasSize(1);
        assertThat(shown()).isEqualTo(new ParallelismBounds(1, 2));
    }

    @Test
    void whoCannotTellTheSlotsIsAskedAgain() throws Exception {
        CompletableFuture<Integer> nobody = new CompletableFuture<>();
        nobody.completeExceptionally(new RescaleException("no resource manager"));
        context.freeSlots = nobody;
        require(1, 3);
        assertThat(rescales()).isEmpty();
        context.freeSlots = CompletableFuture.completedFuture(1);
        context.advance(Reconciliation.POLL);
        assertThat(goal()).isEqualTo(3);
    }

    @Test
    void whatNobodyHasForeseenLeavesTheJobAsItIs() throws Exception {
        context.unforeseen = new IllegalStateException("a bug");
        require(1, 3);
        assertThat(rescales()).isEmpty();
        assertThat(context.failure).isNull();
        context.unforeseen = null;
        context.advance(Duration.ofSeconds(10));
        context.advance(Duration.ofSeconds(10));
        assertThat(goal()).isEqualTo(3);
    }

    @Test
    void whileTheJobDoesNotRunItWaits() throws Exception {
        context.jobState = JobState.RESTARTING;
        require(1, 3);
        assertThat(rescales()).isEmpty();
        context.advance(Reconciliation.POLL);
        context.advance(Reconciliation.POLL);
        context.jobState = JobState.RUNNING;
        context.advance(Reconciliation.POLL);
        assertThat(goal()).isEqualTo(3);
    }

    @Test
    void slotsThatARescaleLeavesUnusedAreGivenBackAtItsEnd() throws Exception {
        controller.rescale(RescaleRequest.of(RescaleRequest.Target.byName(vertex.name(), 4)));
        context.advance(SLOT_TIMEOUT);
        assertThat(context.slotsGivenBack).isZero();
        newSubtasksAreGone();
        context.advance(Duration.ZERO);
        assertThat(context.slotsGivenBack).isEqualTo(1);
        context.advance(Duration.ofHours(5));
        assertThat(context.slotsGivenBack).isEqualTo(1);
    }

    @Test
    void slotsThatComeAfterTheRescaleThatAskedForThemAreGivenBack() throws Exception {
        controller.rescale(RescaleRequest.of(RescaleRequest.Target.byName(vertex.name(), 4)));
        controller.onSlotsOffered();
        context.advance(SLOT_TIMEOUT);
        assertThat(context.slotsGivenBack).isZero();
        newSubtasksAreGone();
        context.advance(Duration.ZERO);
        controller.onSlotsOffered();
        context.advance(Duration.ZERO);
        assertThat(context.slotsGivenBack).isEqualTo(2);
    }

    @Test
    void slotsThatTheNextRescaleNeedsAreNotGivenBackBeforeIt() throws Exception {
        require(1, 3);
        require(1, 5);
        finishScaleOut();
        assertThat(goal()).isEqualTo(5);
        assertThat(context.slotsGivenBack).isZero();
        finishScaleOut();
        assertThat(context.slotsGivenBack).isEqualTo(1);
    }

    @Test
    void slotsThatAreNeededLaterAreNotKept() throws Exception {
        require(1, 3);
        context.advance(SLOT_TIMEOUT);
        newSubtasksAreGone();
        context.advance(Duration.ZERO);
        assertThat(context.slotsGivenBack).isEqualTo(1);
    }

    @Test
    void noSlotIsGivenBackWhileSubtasksWaitForOne() throws Exception {
        require(1, 3);
        context.subtasksWaitForSlots = true;
        finishScaleOut();
        context.advance(Reconciliation.POLL);
        context.subtasksWaitForSlots = false;
        context.advance(Reconciliation.POLL);
        assertThat(context.slotsGivenBack).isEqualTo(1);
        context.advance(Duration.ofHours(5));
        assertThat(context.slotsGivenBack).isEqualTo(1);
    }

    @Test
    void aJobThatHasEndedLooksForNothing() throws Exception {
        require(1, 3);
        context.subtasksWaitForSlots = true;
        finishScaleOut();
        controller.abandon("the job is cancelled");
        context.subtasksWaitForSlots = false;
        controller.onSlotsOffered();
        context.advance(Duration.ofHours(5));
        assertThat(context.slotsGivenBack).isZero();
    }

    @Test
    void aNewJobManagerKnowsWhatIsRequired() throws Exception {
        require(2, 3);
        finishScaleOut();
        byte[] bytes = StoredElasticityFormat.serialize(controller.stored());
        assertThat(context.log).contains("request");
        vertex = vertex();
        context = new FakeContext(vertex);
        controller = controller();
        controller.restore(
                StoredElasticityFormat.deserialize(StoredElasticityFormat.VERSION, bytes));
        assertThat(shown()).isEqualTo(new ParallelismBounds(2, 3));
        controller.start();
        context.advance(Duration.ofHours(5));
        assertThat(rescales()).isEmpty();
        require(1, 4);
        assertThat(goal()).isEqualTo(4);
    }

    @Test
    void aNewJobManagerGoesOnWithWhatHasNotBeenReached() throws Exception {
        context.jobState = JobState.RESTARTING;
        require(1, 5);
        StoredElasticity stored = controller.stored();
        context = new FakeContext(vertex);
        controller = controller();
        controller.restore(stored);
        controller.start();
        context.advance(Duration.ZERO);
        assertThat(goal()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "0000000000000000000000000000abcd, 1, 2, no vertex with the id",
        ", 1, 9, its capacity 8",
        ", 0, 3, 1 <= lowerBound",
        ", 4, 3, 1 <= lowerBound",
    })
    void whatCannotBeIsRefused(String id, int lower, int upper, String why) {
        assertThatThrownBy(
                        () ->
                                controller.require(
                                        bounds(id == null ? "" + vertex.id() : id, lower, upper)))
                .isInstanceOf(RescaleRefusedException.class)
                .hasMessageContaining(why);
        assertThat(controller.stored()).isNull();
    }

    @Test
    void aVertexThatIsNotElasticCanStayAsItIs() throws Exception {
        controller.require(bounds(source.toString(), 1, 1));
        assertThat(controller.requirements().vertices()).containsOnlyKeys(vertex.id().toString());
        assertThatThrownBy(() -> controller.require(bounds(source.toString(), 1, 2)))
                .hasMessageContaining("is not elastic");
    }

    @Test
    void aJobThatEndsIsAskedForNothing() {
        context.jobState = JobState.CANCELLING;
        assertThatThrownBy(() -> require(1, 3))
                .isInstanceOfSatisfying(
                        RescaleRefusedException.class,
                        refusal ->
                                assertThat(refusal.getKind())
                                        .isEqualTo(RescaleRefusedException.Kind.CONFLICT));
    }

    /** What version 1 has written: one vertex, no rescale. */
    @Test
    void checkpointsWithoutRequirementsCanBeRead() throws Exception {
        byte[] now =
                StoredElasticityFormat.serialize(
                        new StoredElasticity(
                                Collections.singletonList(vertex.stable()),
                                null,
                                Collections.emptyMap()));
        byte[] before = Arrays.copyOf(now, now.length - Integer.BYTES);
        StoredElasticity read = StoredElasticityFormat.deserialize(1, before);
        assertThat(read.vertices()).hasSize(1);
        assertThat(read.requirements()).isEmpty();
    }
}
