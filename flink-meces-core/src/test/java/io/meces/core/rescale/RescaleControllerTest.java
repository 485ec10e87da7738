// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.meces.api.AbortMode;
import io.meces.api.KeyGroups;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.command.EventTime;
import io.meces.core.command.ReadAheadUse;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobState;
import io.meces.core.job.RescaleSettings;
import io.meces.core.job.StepTimes;
import io.meces.core.job.StoredElasticity;
import io.meces.core.job.StoredElasticityFormat;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.Repartitioning;
import io.meces.core.rescale.state.ReportState;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life of a rescale on the JobManager, with tasks that are played by the test. */
class RescaleControllerTest {

    private static final Duration ALIGNMENT_PACE = Duration.ofMillis(5);
    private static final Duration STEP_DURATION = Duration.ofMillis(50);
    private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(60);

    /** As if event time had not begun to matter. */
    private static final EventTime AT_0 = new EventTime(0, Long.MAX_VALUE);

    private static final int[] ALL = {0, 1, 2, 3, 4, 5, 6, 7};

    private final VertexId source = VertexId.random();
    private final VertexId sink = VertexId.random();
    private final ElasticVertex vertex = vertex();
    private final FakeContext context = new FakeContext(vertex);
    private static final RecordWaits WAITS = new RecordWaits(3, 9_000, 5_000);

    private RescaleController controller = controller(false);
    private String id;
    private long step;

    private ElasticVertex vertex() {
        ElasticVertex v = new ElasticVertex(VertexId.random(), "count", 2, 8, 8, 4);
        v.addInput(DataSetId.random(), source);
        return v;
    }

    private RescaleController controller(boolean aborts) {
        return controller(aborts, 3);
    }

    private RescaleController controller(boolean aborts, int attempts) {
        return controller(aborts, attempts, STEP_DURATION);
    }

    private RescaleController controller(Duration stepDuration) {
        return controller(false, 3, stepDuration);
    }

    private RescaleController controller(boolean aborts, int attempts, Duration stepDuration) {
        return new RescaleController(
                Collections.singletonList(vertex),
                null,
                Collections.emptyList(),
                new RescaleSettings(
                        8,
                        Long.MAX_VALUE,
                        stepDuration,
                        SLOT_TIMEOUT,
                        STEP_TIMEOUT,
                        aborts ? RunningCheckpoint.ABORT : RunningCheckpoint.WAIT,
                        attempts,
                        Repartitioning.named("minimal-move")),
                context);
    }

    private void rescale(int parallelism) throws Exception {
        accepted(request(parallelism));
    }

    private void accepted(RescaleRequest request) throws Exception {
        CompletableFuture<RescaleAccepted> accepted = controller.rescale(request);
        assertThat(accepted).isCompleted();
        id = accepted.get().id();
    }

    /** Of the messages of the rescale; not what it is shown as. */
    private UUID id() {
        return context.rescale;
    }

    private static RescaleRequest request(int parallelism) {
        return RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism));
    }

    private RescaleDetails details() {
        return controller.rescales().rescales().get(0);
    }

    private void report(int subtask, TaskReport report) {
        controller.onReport(context.attempt(vertex.id(), subtask), report);
    }

    private void begun(int... subtasks) {
        for (int s : subtasks) {
            report(s, new TaskReport.Begun(id(), new TransitionAddress("here", 1), AT_0));
        }
    }

    private void started(int... subtasks) {
        for (int s : subtasks) {
            report(s, new TaskReport.StepStarted(id(), step));
        }
    }

    private void completed(int... subtasks) {
        for (int s : subtasks) {
            completed(s, ReadAheadUse.NONE);
        }
    }

    private void completed(int subtask, ReadAheadUse readAhead) {
        StepStatistics statistics = new StepStatistics(4, 1, 100, 0, WAITS, readAhead);
        report(subtask, new TaskReport.StepCompleted(id(), step, AT_0, statistics, false, 2, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "count -> Sink: out, count -> Sink: out",
        "count, count",
        "join, join -> (map; Sink: out)",
        "Sink: out, ",
        "cou, ",
    })
    void aVertexIsNamedByItsNameOrItsFirstOperator(String asked, String found) throws Exception {
        List<ElasticVertex> vertices = new ArrayList<>();
        for (String name :
                Arrays.asList("count -> Sink: out", "count", "join -> (map; Sink: out)")) {
            vertices.add(new ElasticVertex(VertexId.random(), name, 2, 8, 8, 4));
        }
        RescaleController several =
                new RescaleController(
                        vertices,
                        null,
                        Collections.emptyList(),
                        new RescaleSettings(
                                8,
                                Long.MAX_VALUE,
                                STEP_DURATION,
                                SLOT_TIMEOUT,
                                STEP_TIMEOUT,
                                RunningCheckpoint.WAIT,
                                3,
                                Repartitioning.named("minimal-move")),
                        context);
        RescaleRequest request =
                RescaleRequest.of(RescaleRequest.Target.byName(asked, 3)).asDryRun();
        if (found == null) {
            assertThatThrownBy(() -> several.plan(request))
                    .isInstanceOf(RescaleRefusedException.class)
                    .hasMessageContaining("'" + asked + "'");
        } else {
            assertThat(plan(several, request).vertices())
                    .extracting(plan -> plan.name())
                    .containsExactly(found);
        }
    }

    @Test
    void aScaleOutGoesThroughItsStates() throws Exception {
        rescale(3);
        assertThat(details().state()).isEqualTo(RescaleState.DEPLOYING);
        assertThat(vertex.layout().parallelism()).isEqualTo(3);
        context.deployment.complete(null);
        assertThat(context.takeSent()).containsExactly("Begin", "Begin", "Begin");
        begun(0, 1, 2);
        assertThat(context.takeSent())
                .containsExactly("AlignWatermark", "AlignWatermark", "AlignWatermark", "Connect");
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
        assertThat(context.takeSent()).containsExactly("StartStep", "StartStep", "StartStep");
        step = 1;
        started(0, 1);
        assertThat(context.takeSent()).isEmpty();
        started(2);
        assertThat(context.takeSent()).containsExactly("Switch");
        completed(0, 1, 2);
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(details().orderEvents()).as("of three subtasks").isEqualTo(6);
        assertThat(vertex.parallelism()).isEqualTo(3);
        assertThat(context.log).endsWith("release", "request", "ended");
    }

    @Test
    void ofARescaleThatHasEndedOnlyWhatIsShownIsKept() throws Exception {
        rescale(3);
        WeakReference<JobRescale> rescale =
                new WeakReference<>(controller.new RequiredRescales().running());
        assertThat(rescale.get()).isNotNull();
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        step = 1;
        started(0, 1, 2);
        completed(0, 1, 2);
        // limits of its states
        context.advance(STEP_TIMEOUT.multipliedBy(10));
        for (int i = 0; rescale.get() != null && i < 20; i++) {
            System.gc();
        }
        assertThat(rescale.get()).isNull();
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(details().stepsCompleted()).isEqualTo(details().stepsTotal()).isEqualTo(1);
    }

    /** So that each is serialised only once. */
    @Test
    void whatAllSubtasksAreToldIsOneCommand() throws Exception {
        vertex.settle(Assignment.contiguous(8, 8), 8);
        rescale(4);
        begun(ALL);
        step = 1;
        started(ALL);
        context.lost = TaskCommand.End.class;
        completed(ALL);
        context.advance(ReportState.NEWS);
        Map<String, Integer> distinct = new TreeMap<>();
        Set<TaskCommand> met = Collections.newSetFromMap(new IdentityHashMap<>());
        for (TaskCommand command : context.sent) {
            if (met.add(command)) {
                distinct.merge(command.getClass().getSimpleName(), 1, Integer::sum);
            }
        }
        assertThat(context.sent).hasSizeGreaterThan(8 + 8 + 8);
        // donors and receivers begin otherwise
        assertThat(distinct)
                .containsExactly(
                        entry("Begin", 2),
                        entry("End", 1),
                        entry("EndInput", 1),
                        entry("StartStep", 1),
                        entry("Switch", 1));
    }

    @Test
    void whatFailsBehindADeploymentFailsTheJob() throws Exception {
        context.broken = TaskCommand.Begin.class;
        rescale(3);
        assertThat(context.failure).isNull();
        context.deployment.complete(null);
        assertThat(context.failure)
                .hasMessageContaining("cannot go on")
                .hasRootCauseMessage("cannot be sent");
    }

    /** A rescale that has ended, of which the tasks do not know. */
    private void finishedUnheard() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        step = 1;
        started(0, 1, 2);
        context.takeSent();
        context.lost = TaskCommand.End.class;
        completed(0, 1, 2);
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
    }

    @Test
    void theEndIsToldUntilEachTaskHasHeardOfIt() throws Exception {
        finishedUnheard();
        context.advance(ReportState.NEWS);
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        context.finished.add(vertex.id() + "/2");
        context.lost = null;
        context.advance(ReportState.NEWS);
        assertThat(context.takeSent()).containsExactly("End", "End");
        context.advance(STEP_TIMEOUT);
        assertThat(context.takeSent()).isEmpty();
        assertThat(context.failure).isNull();
    }

    @Test
    void anEndOfWhichATaskDoesNotHearRestartsTheJobBeforeItHoldsBackEventTimeForGood()
            throws Exception {
        finishedUnheard();
        context.advance(STEP_TIMEOUT.minusMillis(1));
        assertThat(context.failure).isNull();
        context.advance(ReportState.NEWS);
        assertThat(context.failure)
                .hasMessageContaining("End of a rescale has not reached subtask")
                .hasMessageContaining("meces.migration.timeout")
                .hasMessageContaining("nobody has answered");
    }

    @Test
    void newSubtasksGetTheBroadcastStateBeforeTheFirstStep() throws Exception {
        vertex.markBroadcastInputs();
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        context.takeSent();
        abort(AbortMode.STOP);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        StepMoves handover = ((TaskCommand.StartStep) context.sent.get(0)).moves();
        assertThat(handover.donor()).isZero();
        assertThat(handover.takers().stream()).containsExactly(2);
        assertThat(context.takeSent()).containsExactly("StartStep", "StartStep", "AlignWatermark");
        step = 1;
        started(0, 2);
        assertThat(context.takeSent()).containsExactly("Switch");
        completed(0);
        assertThat(details().stepsCompleted()).isZero();
        completed(2);
        // only now, so that no subtask is left without the broadcast state
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(vertex.connected()).isEqualTo(3);
    }

    @Test
    void aScaleInHandsOverNoBroadcastState() throws Exception {
        vertex.markBroadcastInputs();
        rescale(1);
        begun(0, 1);
        TaskCommand first = context.sent.get(2);
        assertThat(((TaskCommand.StartStep) first).moves().donor()).isNegative();
    }

    @Test
    void aStepThatEndsForOneBeforeAllHaveHeardOfItIsCounted() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        step = 1;
        started(0);
        completed(0);
        started(1, 2);
        completed(1, 2);
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
    }

    @Test
    void withoutSlotsTheJobStaysAsItWas() throws Exception {
        context.withoutSlot.addAll(Arrays.asList(2, 3));
        rescale(4);
        context.advance(SLOT_TIMEOUT);
        assertThat(context.log).contains("cancel 2..4");
        context.cancellation.complete(null);
        // they may have come as far as to ask for their partitions
        assertThat(context.takeSent()).containsExactly("Disconnect");
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).contains("no slots").contains("meces.rescale.slot-timeout");
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.failure).isNull();
        rescale(3);
    }

    @Test
    void aJobThatFinishesWhileSubtasksAreDeployedIsNotKeptByThem() throws Exception {
        rescale(4);
        context.finished.add(source + "/0");
        controller.onFinished(context.attempt(source, 0));
        assertThat(context.log).endsWith("cancel 2..4");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().failure()).contains("has finished");
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.log).endsWith("ended");
    }

    @Test
    void reportsOfAnEarlierRescaleAreDropped() throws Exception {
        rescale(1);
        controller.onReport(
                context.attempt(vertex.id(), 0),
                new TaskReport.Begun(UUID.randomUUID(), new TransitionAddress("here", 1), AT_0));
        begun(1);
        context.takeSent();
        begun(0);
        assertThat(context.takeSent()).containsExactly("StartStep", "StartStep");
    }

    @Test
    void aStepThatTakesTooLongFailsTheJob() throws Exception {
        rescale(1);
        begun(0, 1);
        context.advance(STEP_TIMEOUT);
        assertThat(context.failure).hasStackTraceContaining("meces.migration.timeout");
    }

    @Test
    void aTaskThatFinishesBeforeTheFirstStepEndsTheRescaleEverywhere() throws Exception {
        rescale(1);
        begun(0);
        context.takeSent();
        controller.onFinished(context.attempt(vertex.id(), 1));
        assertThat(context.takeSent()).containsExactly("End", "End");
        assertThat(details().failure()).contains("has finished");
        assertThat(context.log).endsWith("release", "request", "ended");
    }

    @Test
    void anUpstreamThatFinishesBeforeNewSubtasksAreConnectedEndsTheRescaleWithoutHarm()
            throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1);
        context.takeSent();
        sourceFinishes();
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertTakenBack();
    }

    @Test
    void anUpstreamThatFinishesAmidAYieldEndsTheRescaleBeforeNewSubtasksAreConnected()
            throws Exception {
        rescale(3);
        context.deployment.complete(null);
        for (int s = 0; s < 3; s++) {
            EventTime aboutToFire = new EventTime(1_000, 1_001);
            report(s, new TaskReport.Begun(id(), new TransitionAddress("here", 1), aboutToFire));
        }
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        context.takeSent();
        sourceFinishes();
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertTakenBack();
    }

    @Test
    void anUpstreamThatFinishesInsteadOfConnectingHasTheNewSubtasksTakenBack() throws Exception {
        vertex.addOutput(DataSetId.random(), sink);
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        context.takeSent();
        sourceFinishes();
        assertThat(details().state()).isEqualTo(RescaleState.WITHDRAWING);
        assertThat(context.takeSent()).containsExactly("End", "End", "Retire");
        report(2, new TaskReport.Retired(id()));
        assertThat(context.log).doesNotContain("cancel 2..3");
        // it has heard of the new subtask before
        controller.onReport(context.attempt(sink, 0), new TaskReport.ChannelChanged(0, 2, true));
        controller.onReport(context.attempt(sink, 0), new TaskReport.ChannelChanged(0, 2, false));
        assertTakenBack();
    }

    @Test
    void newSubtasksForWhichAnUpstreamHasNoBuffersAreTakenBackAndNotTriedAgain() throws Exception {
        rescale(4);
        context.deployment.complete(null);
        begun(0, 1, 2, 3);
        context.takeSent();
        controller.onReport(
                context.attempt(source, 0),
                new TaskReport.ConnectFailed(id(), "source: no buffers"));
        assertThat(context.takeSent()).containsExactly("End", "End", "Retire", "Retire");
        report(2, new TaskReport.Retired(id()));
        report(3, new TaskReport.Retired(id()));
        assertThat(context.log).endsWith("cancel 2..4");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .isEqualTo("new subtasks of count cannot be connected with source: no buffers");
        assertThat(details().interruption()).isNull();
        assertThat(context.failure).isNull();
    }

    @Test
    void newSubtasksForWhichAConsumerHasNoBuffersAreTakenBackAndNotTriedAgain() throws Exception {
        vertex.addOutput(DataSetId.random(), sink);
        rescale(4);
        context.deployment.complete(null);
        begun(0, 1, 2, 3);
        context.takeSent();
        controller.onReport(context.attempt(sink, 0), new TaskReport.ChannelChanged(0, 2, true));
        controller.onReport(
                context.attempt(sink, 0), new TaskReport.NotConnected(0, 3, "sink: no buffers"));
        assertThat(context.takeSent()).containsExactly("End", "End", "Retire", "Retire");
        report(2, new TaskReport.Retired(id()));
        report(3, new TaskReport.Retired(id()));
        assertThat(context.log).doesNotContain("cancel 2..4");
        controller.onReport(context.attempt(sink, 0), new TaskReport.ChannelChanged(0, 2, false));
        assertThat(context.log).endsWith("cancel 2..4");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .isEqualTo("new subtask 3 of count cannot be connected with sink: no buffers");
        assertThat(details().interruption()).isNull();
        assertThat(context.failure).isNull();
    }

    @Test
    void aNewSubtaskThatGetsNoBuffersIsNotTriedAgain() throws Exception {
        rescale(3);
        Exception cause =
                new Exception(
                        new IOException(
                                "Insufficient number of network buffers: required 9, but only 3"
                                        + " available."));
        assertThat(controller.absorbsFailure(vertex.id(), 2, cause)).isTrue();
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).contains("Insufficient number of network buffers");
    }

    private void sourceFinishes() {
        context.finished.add(source + "/0");
        controller.onFinished(context.attempt(source, 0));
    }

    @Test
    void aTaskThatDoesNotBeginInTimeEndsTheRescaleAndNotTheJob() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 2);
        context.takeSent();
        context.advance(STEP_TIMEOUT);
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertThat(context.log).endsWith("cancel 2..3");
        context.cancellation.complete(null);
        assertThat(context.takeSent()).containsExactly("Disconnect");
        // checkpoints do not wait for an upstream that is busy, and neither does the job
        assertThat(context.log).endsWith("release");
        context.advance(STEP_TIMEOUT);
        context.advance(STEP_TIMEOUT);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(context.failure).isNull();
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .contains("BEGINNING took longer than", "meces.migration.timeout", "begun from")
                .contains(context.attempt(vertex.id(), 1).toString());
        assertThat(vertex.deployed()).isEqualTo(2);
    }

    @Test
    void aScaleInThatDoesNotBeginInTimeIsGivenUp() throws Exception {
        rescale(1);
        begun(0);
        context.advance(STEP_TIMEOUT);
        assertThat(context.failure).isNull();
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(vertex.connected()).isEqualTo(2);
        assertThat(context.log).endsWith("release", "request", "ended");
    }

    @Test
    void newSubtasksThatAreNotConnectedInTimeAreTakenBack() throws Exception {
        vertex.addOutput(DataSetId.random(), sink);
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        context.takeSent();
        context.advance(STEP_TIMEOUT);
        assertThat(details().state()).isEqualTo(RescaleState.WITHDRAWING);
        report(2, new TaskReport.Retired(id()));
        controller.onReport(context.attempt(sink, 0), new TaskReport.ChannelChanged(0, 2, false));
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(context.failure).isNull();
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).startsWith("CONNECTING took longer than");
    }

    /** A command whose delivery is not confirmed is sent again until it is. */
    private void repeats(Class<? extends TaskCommand> kind, int tasks, ThrowingCallable action)
            throws Throwable {
        context.lost = kind;
        context.takeSent();
        action.call();
        for (int i = 0; i < 3; i++) {
            assertThat(sentOf(kind)).isEqualTo(tasks);
            context.advance(ReportState.NEWS);
        }
        context.lost = null;
        assertThat(sentOf(kind)).isEqualTo(tasks);
        context.advance(ReportState.NEWS);
        assertThat(sentOf(kind)).isEqualTo(tasks);
        context.advance(ReportState.NEWS);
        assertThat(sentOf(kind)).isZero();
        assertThat(context.failure).isNull();
    }

    private int sentOf(Class<? extends TaskCommand> kind) {
        int all = (int) context.sent.stream().filter(kind::isInstance).count();
        context.sent.clear();
        return all;
    }

    @Test
    void commandsOfAScaleOutAreRepeatedUntilTheirDeliveryIsConfirmed() throws Throwable {
        rescale(3);
        repeats(TaskCommand.Begin.class, 3, () -> context.deployment.complete(null));
        repeats(TaskCommand.Connect.class, 1, () -> begun(0, 1, 2));
        repeats(
                TaskCommand.StartStep.class,
                3,
                () ->
                        controller.onReport(
                                context.attempt(source, 0), new TaskReport.Connected(id())));
        step = 1;
        repeats(TaskCommand.Switch.class, 1, () -> started(0, 1, 2));
        completed(0, 1, 2);
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
    }

    @Test
    void commandsOfAScaleInAreRepeatedUntilTheirDeliveryIsConfirmed() throws Throwable {
        rescale(1);
        begun(0, 1);
        step = 1;
        started(0, 1);
        repeats(TaskCommand.EndInput.class, 1, () -> completed(0, 1));
        report(1, new TaskReport.InputEnded(id()));
        context.checkpoints.get(0).complete(7L);
        report(1, new TaskReport.CheckpointConfirmed(id(), 7));
        repeats(
                TaskCommand.Retire.class,
                1,
                () -> context.listState.complete(() -> context.log.add("carry")));
        report(1, new TaskReport.Retired(id()));
        repeats(TaskCommand.Disconnect.class, 1, () -> context.cancellation.complete(null));
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
    }

    /** The only upstream has finished. */
    private void assertTakenBack() throws Exception {
        assertThat(context.log).endsWith("cancel 2..3").doesNotContain("release");
        context.cancellation.complete(null);
        assertThat(context.takeSent()).isEmpty();
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).isEqualTo("all that count reads from has finished");
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.failure).isNull();
        assertThat(context.log).contains("release").endsWith("ended");
    }

    private void migrated() throws Exception {
        rescale(1);
        begun(0, 1);
        step = 1;
        started(0, 1);
        completed(0, 1);
        context.takeSent();
    }

    @Test
    void aScaleInWaitsUntilACheckpointIsConfirmedBeforeSubtasksLeave() throws Exception {
        rescale(1);
        begun(0, 1);
        step = 1;
        started(0, 1);
        context.takeSent();
        completed(0, 1);
        assertThat(details().state()).isEqualTo(RescaleState.DRAINING);
        assertThat(context.takeSent()).containsExactly("End", "End", "EndInput");
        assertThat(context.checkpoints).isEmpty();
        report(1, new TaskReport.InputEnded(id()));
        assertThat(context.checkpoints).hasSize(1);
        // an earlier checkpoint does not count, and neither does another subtask
        report(1, new TaskReport.CheckpointConfirmed(id(), 6));
        context.checkpoints.get(0).complete(7L);
        report(0, new TaskReport.CheckpointConfirmed(id(), 7));
        assertThat(context.log).doesNotContain("read 1..2 of 7");
        report(1, new TaskReport.CheckpointConfirmed(id(), 7));
        assertThat(context.log).endsWith("read 1..2 of 7");
        assertThat(context.takeSent()).isEmpty();
        context.listState.complete(() -> context.log.add("carry"));
        assertThat(context.takeSent()).containsExactly("Retire");
        report(1, new TaskReport.Retired(id()));
        assertThat(context.log).endsWith("cancel 1..2");
        context.cancellation.complete(null);
        assertThat(context.takeSent()).containsExactly("Disconnect");
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(vertex.connected()).isEqualTo(1);
        assertThat(context.log).endsWith("carry", "release", "request", "ended");
    }

    @Test
    void listStateThatCannotBeCarriedIsHandedOverByARestart() throws Exception {
        migrated();
        report(1, new TaskReport.InputEnded(id()));
        context.checkpoints.get(0).complete(7L);
        report(1, new TaskReport.CheckpointConfirmed(id(), 7));
        context.listState.completeExceptionally(new Exception("too large"));
        assertThat(context.failure)
                .hasStackTraceContaining("handed over by a restart")
                .hasStackTraceContaining("too large");
        controller.abandon("the job restarts");
        assertThat(vertex.parallelism()).isEqualTo(1);
    }

    @Test
    void subtasksWithoutKeyGroupsEndWithAJobThatEnds() throws Exception {
        migrated();
        context.finished.add(source + "/0");
        report(1, new TaskReport.InputEnded(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(context.checkpoints).isEmpty();
        assertThat(vertex.connected()).isEqualTo(2);
        assertThat(context.log).endsWith("release", "request", "ended");
    }

    /** A source that is not next to the vertex: the job goes on, without any more checkpoints. */
    private void aSourceElsewhereHasFinished() {
        context.finished.add(VertexId.random() + "/0");
    }

    @Test
    void noSubtaskLeavesAJobThatCanHaveNoCheckpointAnyMore() throws Exception {
        vertex.setCheckpointedBesidesKeys("operator 'sink' keeps more");
        aSourceElsewhereHasFinished();
        assertThatThrownBy(() -> rescale(1))
                .isInstanceOf(RescaleRefusedException.class)
                .hasMessage(
                        "Vertex "
                                + vertex
                                + " cannot be scaled in: a subtask of 'some vertex' has finished."
                                + " There is no checkpoint after that, and without one no subtask"
                                + " can leave, as operator 'sink' keeps more.");
        rescale(3);
    }

    @Test
    void aSubtaskLeavesAJobWhoseCheckpointsOutliveATask() throws Exception {
        vertex.setCheckpointedBesidesKeys("operator 'sink' keeps more");
        context.checkpointsOutliveTasks = true;
        aSourceElsewhereHasFinished();
        rescale(1);
    }

    @Test
    void aScaleInIsGivenUpAtTheNextStepWhenASourceElsewhereFinishes() throws Exception {
        accepted(RescaleRequest.of(RescaleRequest.Target.byName("count", 1)).withBatchSize(1));
        begun(0, 1);
        aSourceElsewhereHasFinished();
        context.takeSent();
        step = 1;
        started(0, 1);
        completed(0, 1);
        assertThat(context.takeSent()).containsExactly("Switch", "End", "End");
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).startsWith("a subtask of 'some vertex' has finished.");
        assertThat(details().stepsCompleted()).isEqualTo(1).isLessThan(details().stepsTotal());
        assertThat(vertex.connected()).isEqualTo(2);
        assertThat(context.failure).isNull();
        rescale(2);
    }

    @Test
    void thereAreFewerStepsIfEachReadsMuchAhead() throws Exception {
        accepted(RescaleRequest.of(RescaleRequest.Target.byName("count", 1)).withBatchSize(1));
        begun(0, 1);
        int asAsked = details().stepsTotal();
        step = 1;
        started(0, 1);
        completed(0, new ReadAheadUse(0.1, 0.1));
        completed(1, ReadAheadUse.NONE);
        assertThat(asAsked).isEqualTo(4);
        // one, then twice as many, then what is left
        assertThat(details().stepsTotal()).isEqualTo(3);

        for (step = 2; step <= 3; step++) {
            started(0, 1);
            completed(0, 1);
        }
        assertThat(details().stepsCompleted()).isEqualTo(3);
        assertThat(vertex.assignment()).isEqualTo(Assignment.contiguous(8, 1));
    }

    @Test
    void subtasksWithoutKeyGroupsStayWhenASourceElsewhereFinishesBeforeTheyAreDrained()
            throws Exception {
        rescale(1);
        begun(0, 1);
        step = 1;
        started(0, 1);
        context.takeSent();
        aSourceElsewhereHasFinished();
        completed(0, 1);
        assertThat(context.takeSent()).containsExactly("End", "End");
        assertStayed();
        rescale(2);
    }

    private void assertStayed() throws Exception {
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .startsWith(
                        "all key-groups have moved, but 1 subtask(s) of count stay without any: a"
                                + " subtask of 'some vertex' has finished.");
        assertThat(vertex.connected()).isEqualTo(2);
        assertThat(vertex.assignment()).isEqualTo(Assignment.contiguous(8, 1));
        assertThat(context.failure).isNull();
        assertThat(context.log).contains("release");
    }

    @Test
    void subtasksWhoseInputHasEndedStayButGetNoKeyGroupsAgain() throws Exception {
        migrated();
        report(1, new TaskReport.InputEnded(id()));
        context.checkpoints.get(0).completeExceptionally(new Exception("not all tasks run"));
        aSourceElsewhereHasFinished();
        context.advance(Duration.ofMillis(200));
        assertStayed();
        assertThat(context.checkpoints).hasSize(1);
        assertThatThrownBy(() -> rescale(3))
                .hasMessage(
                        "Vertex "
                                + vertex
                                + " cannot be rescaled before the job has been restarted: the"
                                + " operators of its subtask 1, which was to leave and could not,"
                                + " get no more input.");
        context.restartAll();
        rescale(3);
    }

    @Test
    void aRollbackDoesNotGiveKeyGroupsToSubtasksWhoseInputHasEnded() throws Exception {
        migrated();
        report(1, new TaskReport.InputEnded(id()));
        abort(AbortMode.ROLLBACK);
        aSourceElsewhereHasFinished();
        context.checkpoints.get(0).completeExceptionally(new Exception("not all tasks run"));
        context.advance(Duration.ofMillis(200));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .startsWith("not rolled back: ")
                .contains("get no more input");
        assertThat(context.takeSent()).isEmpty();
    }

    @Test
    void whatHasInterruptedARescaleStandsInItsStatusAlsoWhenItHasFinished() throws Exception {
        migrated();
        assertThat(details().interruption()).isNull();
        controller.onFailure("the job restarts: a test");
        vertex.settle(Assignment.contiguous(8, 1), 1);
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(details().interruption()).isEqualTo("the job restarts: a test");
        assertThat(details().failure()).isNull();
        assertThat(context.metrics.log).startsWith("begun").contains("restarted");
        assertThat(context.metrics.log.get(context.metrics.log.size() - 1))
                .isEqualTo("FINISHED after " + details().durationMs() + " ms");
    }

    @Test
    void aRefusalSaysWhetherToAskAgain() {
        context.jobState = JobState.RESTARTING;
        assertThatThrownBy(() -> rescale(3))
                .hasMessage("The job is RESTARTING, not RUNNING. Ask again when it runs.");
        context.jobState = JobState.FAILING;
        assertThatThrownBy(() -> rescale(3))
                .hasMessage("The job is FAILING, not RUNNING. There is no need to ask again.");
        context.jobState = JobState.RUNNING;
        context.starting.add(source + "/0");
        assertThatThrownBy(() -> rescale(3))
                .hasMessage(
                        "Not all subtasks of vertex 'source' are running; the job is starting. Ask again when it runs.");
        context.restarted = true;
        assertThatThrownBy(() -> rescale(3))
                .hasMessage(
                        "Not all subtasks of vertex 'source' are running; the job is restarting. Ask again when it runs.");
        context.finished.add(source + "/0");
        assertThatThrownBy(() -> rescale(3))
                .hasMessage(
                        "Vertex "
                                + vertex
                                + " has come to its end: all that it reads from has finished. There"
                                + " is no need to ask again.");
    }

    @Test
    void aVertexIsRescaledWhenAPartOfItsSourceHasFinished() throws Exception {
        context.sources = 2;
        sourceFinishes();
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 1), new TaskReport.Connected(id()));
        step = 1;
        started(0, 1, 2);
        completed(0, 1, 2);
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        context.finished.add(source + "/1");
        assertThatThrownBy(() -> rescale(4)).hasMessageContaining("has come to its end");
    }

    @Test
    void newSubtasksThatWaitForAnUpstreamWhichFinishesAreTakenBackForOthers() throws Exception {
        context.sources = 2;
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1);
        context.takeSent();
        sourceFinishes();
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertThat(context.log).endsWith("cancel 2..3");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 1), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        assertThat(details().interruption())
                .isEqualTo(
                        "a subtask of 'source' has finished before new subtasks of count were"
                                + " connected with it");
        context.advance(Duration.ofSeconds(1));
        assertThat(details().state()).isEqualTo(RescaleState.BEGINNING);
        assertThat(details().attempt()).isEqualTo(2);
        assertThat(context.failure).isNull();
    }

    @Test
    void newSubtasksAreTakenBackForOthersIfAnUpstreamFinishesInsteadOfConnecting()
            throws Exception {
        context.sources = 2;
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 1), new TaskReport.Connected(id()));
        context.takeSent();
        sourceFinishes();
        assertThat(details().state()).isEqualTo(RescaleState.WITHDRAWING);
        assertThat(context.takeSent()).containsExactly("End", "End", "Retire");
        report(2, new TaskReport.Retired(id()));
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 1), new TaskReport.Disconnected(id()));
        context.advance(Duration.ofSeconds(1));
        assertThat(details().state()).isEqualTo(RescaleState.BEGINNING);
    }

    @Test
    void anUpstreamThatFinishesWhenItHasConnectedIsNotMissed() throws Exception {
        context.sources = 2;
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        sourceFinishes();
        controller.onReport(context.attempt(source, 1), new TaskReport.Connected(id()));
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
    }

    @Test
    void subtasksWithNothingButKeyedStateLeaveWithoutACheckpointIfThereCanBeNone()
            throws Exception {
        vertex.setCheckpointedBesidesKeys(null);
        aSourceElsewhereHasFinished();
        migrated();
        report(1, new TaskReport.InputEnded(id()));
        assertThat(context.checkpoints).isEmpty();
        assertThat(context.takeSent()).containsExactly("Retire");
        report(1, new TaskReport.Retired(id()));
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(vertex.connected()).isEqualTo(1);
    }

    @Test
    void subtasksWithNothingButKeyedStateDoNotWaitForACheckpointThatCannotComplete()
            throws Exception {
        vertex.setCheckpointedBesidesKeys(null);
        migrated();
        report(1, new TaskReport.InputEnded(id()));
        assertThat(context.checkpoints).hasSize(1);
        aSourceElsewhereHasFinished();
        controller.onFinished(AttemptId.random());
        assertThat(context.log).endsWith("abort");
        context.checkpoints.get(0).completeExceptionally(new Exception("aborted"));
        context.advance(Duration.ofMillis(200));
        assertThat(context.takeSent()).containsExactly("Retire");
    }

    @Test
    void aVertexWithQueryableStateIsNotRescaled() throws Exception {
        vertex.setQueryableState("latest");
        assertThatThrownBy(() -> rescale(3))
                .hasMessageContaining("count")
                .hasMessageContaining("'latest'");
    }

    @Test
    void aScaleOutLeavesRoomForWhatIsCarried() throws Exception {
        vertex.setCarried(2);
        assertThatThrownBy(() -> rescale(7))
                .hasMessageContaining("before the job has been restarted");
        rescale(6);
    }

    @Test
    void aRestartPutsTheVertexBackAndAllowsAnotherRescale() throws Exception {
        rescale(4);
        controller.abandon("the job restarts");
        assertThat(details().failure()).isEqualTo("the job restarts");
        assertThat(vertex.deployed()).isEqualTo(2);
        context.deployment.complete(null);
        assertThat(context.takeSent()).isEmpty();
        rescale(3);
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        RescalePlans plans = plan(controller, request(4).asDryRun());
        assertThat(plans.vertices().get(0).before()).containsExactly(4, 4);
        assertThat(plans.vertices().get(0).after()).containsExactly(2, 2, 2, 2);
        assertThat(context.log).isEmpty();
    }

    /** Subtasks of the same index share a slot with those of the source. */
    @Test
    void aDryRunTellsHowManyMoreSlotsAreNeeded() throws Exception {
        context.freeSlots = CompletableFuture.completedFuture(5);
        RescalePlans plans = plan(controller, request(4).asDryRun());
        assertThat(plans.moreSlots()).isEqualTo(2);
        assertThat(plans.freeSlots()).isEqualTo(5);
        assertThat(plan(controller, request(1).asDryRun()).moreSlots()).isEqualTo(-1);
        context.sources = 3;
        assertThat(plan(controller, request(4).asDryRun()).moreSlots()).isEqualTo(1);
        assertThat(plan(controller, request(1).asDryRun()).moreSlots()).isZero();
    }

    @Test
    void aDryRunDoesWithoutTheNumberOfFreeSlots() throws Exception {
        context.freeSlots = new CompletableFuture<>();
        context.freeSlots.completeExceptionally(new IllegalStateException("nobody can tell"));
        assertThat(plan(controller, request(4).asDryRun()).freeSlots()).isNull();
    }

    @Test
    void aRescaleThatWaitsForSlotsTellsHowManyAndUntilWhen() throws Exception {
        context.withoutSlot.add(3);
        rescale(4);
        assertThat(details().state()).isEqualTo(RescaleState.DEPLOYING);
        assertThat(details().missingSlots()).isEqualTo(1);
        assertThat(details().slotsAwaitedUntil())
                .isEqualTo(details().startTime() + SLOT_TIMEOUT.toMillis());
        context.withoutSlot.clear();
        assertThat(details().missingSlots()).isZero();
        assertThat(details().slotsAwaitedUntil()).isNull();
    }

    private static RescaleRequest byLoad(int parallelism) {
        return request(parallelism).withStrategy("load-aware");
    }

    /** As if no subtask told its load. */
    private RescalePlans plan(RescaleController asked, RescaleRequest request) throws Exception {
        CompletableFuture<RescalePlans> plans = asked.plan(request);
        context.advance(Duration.ofSeconds(6));
        assertThat(plans).isCompleted();
        context.takeSent();
        return plans.get();
    }

    private UUID survey() {
        return context.sent.get(0).rescale();
    }

    private void load(int subtask, double share, TaskReport.KeyGroupLoad... loads) {
        report(subtask, new TaskReport.Load(survey(), share, Arrays.asList(loads)));
    }

    @Test
    void aRescaleByLoadBeginsWhenAllSubtasksHaveToldIt() throws Exception {
        CompletableFuture<RescalePlans> answer = controller.plan(byLoad(2).asDryRun());
        load(0, 0.5, new TaskReport.KeyGroupLoad(0, 5, 7), new TaskReport.KeyGroupLoad(1, 5, 7));
        assertThat(answer).isNotDone();
        load(1, 0.25, new TaskReport.KeyGroupLoad(1, 10, 0));
        assertThat(context.takeSent()).containsExactly("MeasureLoad", "MeasureLoad");
        assertThat(answer).isCompleted();
        RescalePlans.VertexPlan plan = answer.get().vertices().get(0);
        // key-group 1 has moved: what both have measured of it counts
        assertThat(plan.loadBefore()).containsExactly(40.0, 0.0);
        assertThat(plan.loadAfter()).containsExactly(30.0, 10.0);
        assertThat(context.log).isEmpty();
    }

    @Test
    void tellsLoadAndStateOfEachKeyGroup() throws Exception {
        context.checkpointedKeyGroups = new long[] {1, 2, 3, 4, 5, 6, 7, 8};
        CompletableFuture<KeyGroups> answer = controller.keyGroups(vertex.id().toString());
        load(0, 0.5, new TaskReport.KeyGroupLoad(0, 5, 7), new TaskReport.KeyGroupLoad(3, 1, 2));
        assertThat(answer).isNotDone();
        load(1, 0.5, new TaskReport.KeyGroupLoad(5, 10, 3));
        assertThat(answer).isCompleted();
        KeyGroups keyGroups = answer.get();
        assertThat(keyGroups.owners()).containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
        assertThat(keyGroups.recordsPerSecond())
                .containsExactly(10.0, 0.0, 0.0, 2.0, 0.0, 20.0, 0.0, 0.0);
        assertThat(keyGroups.entries()).containsExactly(7L, 0L, 0L, 2L, 0L, 3L, 0L, 0L);
        assertThat(keyGroups.subtasks())
                .extracting(KeyGroups.Subtask::keyGroups)
                .containsExactly(4, 4);
        assertThat(keyGroups.subtasks())
                .extracting(KeyGroups.Subtask::recordsPerSecond)
                .containsExactly(12.0, 20.0);
        assertThat(keyGroups.subtasks())
                .extracting(KeyGroups.Subtask::entries)
                .containsExactly(9L, 3L);
        assertThat(keyGroups.subtasks())
                .extracting(KeyGroups.Subtask::stateBytes)
                .containsExactly(10L, 26L);
    }

    @Test
    void tellsTheOwnersEvenIfSomeSubtaskDoesNotTellItsLoad() throws Exception {
        CompletableFuture<KeyGroups> answer = controller.keyGroups(vertex.id().toString());
        context.advance(Duration.ofSeconds(6));
        assertThat(answer).isCompleted();
        assertThat(answer.get().owners()).containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
        assertThat(answer.get().recordsPerSecond()).isNull();
        assertThat(answer.get().entries()).isNull();
        assertThat(answer.get().stateBytes()).isNull();
        assertThat(answer.get().subtasks().get(1).keyGroups()).isEqualTo(4);
        assertThat(answer.get().subtasks().get(1).recordsPerSecond()).isNull();
    }

    @Test
    void hasNoKeyGroupsOfAVertexThatIsNotThere() {
        assertThatThrownBy(() -> controller.keyGroups("00000000000000000000000000000001"))
                .isInstanceOfSatisfying(
                        RescaleRefusedException.class,
                        e ->
                                assertThat(e.getKind())
                                        .isEqualTo(RescaleRefusedException.Kind.NOT_FOUND))
                .hasMessageStartingWith(
                        "The job has no vertex with the id 00000000000000000000000000000001.");
    }

    @Test
    void aDryRunOfAnotherStrategyTellsTheLoadIfItCan() throws Exception {
        CompletableFuture<RescalePlans> answer = controller.plan(request(3).asDryRun());
        load(0, 1, new TaskReport.KeyGroupLoad(0, 5, 7));
        context.advance(Duration.ofSeconds(6));
        assertThat(answer).isCompleted();
        RescalePlans.VertexPlan plan = answer.get().vertices().get(0);
        assertThat(plan.loadBefore()).isNull();
        assertThat(plan.after()).containsExactly(3, 3, 2);
    }

    @Test
    void aRescaleByLoadIsRefusedIfSomeSubtaskDoesNotTellIt() throws Exception {
        CompletableFuture<RescaleAccepted> answer = controller.rescale(byLoad(2));
        load(0, 1, new TaskReport.KeyGroupLoad(0, 5, 7));
        context.advance(Duration.ofSeconds(6));
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::get)
                .cause()
                .isInstanceOf(RescaleRefusedException.class)
                .hasMessage(
                        "The load is not known: 1 subtask(s) have not told it within 5000 ms. Ask"
                                + " again, or name a strategy that does not need it.");
        assertThat(vertex.parallelism()).isEqualTo(2);
        assertThat(controller.rescale(request(3))).isCompleted();
        assertThat(context.log).isNotEmpty();
    }

    @Test
    void aRescaleAtTheSameParallelismMovesKeyGroupsAndIsStored() throws Exception {
        assertThat(controller.stored()).isNull();
        CompletableFuture<RescaleAccepted> answer = controller.rescale(byLoad(2));
        load(0, 1, new TaskReport.KeyGroupLoad(0, 30, 0), new TaskReport.KeyGroupLoad(1, 10, 0));
        load(1, 1);
        assertThat(answer).isCompleted();
        assertThat(context.takeSent())
                .containsExactly("MeasureLoad", "MeasureLoad", "Begin", "Begin");
        begun(0, 1);
        step = 1;
        started(0, 1);
        completed(0, 1);
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(context.log).doesNotContain("deploy 2..2");
        assertThat(vertex.parallelism()).isEqualTo(2);
        // the busier of the two stays
        assertThat(vertex.assignment()).isEqualTo(Assignment.of(0, 1, 0, 0, 1, 1, 1, 1));
        assertThat(controller.stored().vertices().get(0).assignment).isEqualTo(vertex.assignment());

        // it is even as it can be now
        context.takeSent();
        answer = controller.rescale(byLoad(2));
        load(0, 1, new TaskReport.KeyGroupLoad(0, 30, 0));
        load(1, 1, new TaskReport.KeyGroupLoad(1, 10, 0));
        assertThat(answer).isCompleted();
        assertThat(context.takeSent()).containsExactly("MeasureLoad", "MeasureLoad");
        assertThat(latest().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(latest().stepsTotal()).isZero();
    }

    @Test
    void aSurveyEndsWithTheJob() throws Exception {
        CompletableFuture<RescaleAccepted> answer = controller.rescale(byLoad(2));
        controller.abandon("the job is cancelled");
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::get)
                .cause()
                .hasMessageContaining("The load is not known: the job is cancelled.");
    }

    private RescaleDetails abort(AbortMode mode) throws Exception {
        return controller.abort(id, mode);
    }

    private RescaleDetails latest() {
        List<RescaleDetails> all = controller.rescales().rescales();
        return all.get(all.size() - 1);
    }

    /** Scale-out from 2 to 3 in two steps of one key-group, of which the first has begun. */
    private void firstStep() throws Exception {
        RescaleRequest request =
                RescaleRequest.of(RescaleRequest.Target.byName("count", 3)).withBatchSize(1);
        accepted(request);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        context.takeSent();
    }

    /** All that can take part do. */
    private void stepDone(long number) {
        step = number;
        started(0, 1, 2);
        completed(0, 1, 2);
    }

    @ParameterizedTest
    @CsvSource({"10000, false", "10001, true"})
    void aCheckpointIsAskedForAfterARescaleUnlessOneComesSoonAnyway(long interval, boolean asked)
            throws Exception {
        context.intervalMillis = interval;
        firstStep();
        abort(AbortMode.STOP);
        stepDone(1);
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(context.log.contains("request")).isEqualTo(asked);
    }

    @Test
    void anAbortEndsTheRescaleAtTheNextStepAndTheNextOneGoesOnFromThere() throws Exception {
        firstStep();
        assertThat(abort(AbortMode.STOP).status()).isEqualTo(RescaleStatus.RUNNING);
        stepDone(1);
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(details().failure()).isEqualTo("aborted by request");
        assertThat(details().stepsCompleted()).isEqualTo(1).isLessThan(details().stepsTotal());
        assertThat(context.takeSent()).containsExactly("Switch", "End", "End", "End");
        assertThat(vertex.parallelism()).isEqualTo(3);
        assertThat(vertex.assignment().keyGroupsOf(2)).isNotEmpty();
        assertThat(controller.stored().vertices().get(0).assignment).isEqualTo(vertex.assignment());
        assertThat(controller.stored().rescale()).isNull();

        rescale(2);
        assertThat(latest().state()).isEqualTo(RescaleState.BEGINNING);
    }

    @Test
    void aJobThatEndsIsNotKeptByACheckpointThatWillNeverComplete() throws Exception {
        firstStep();
        context.oneWaiting = true;
        stepDone(1);
        assertThat(details().state()).isEqualTo(RescaleState.PAUSING);
        // its source has ended and will not take part in the checkpoint any more
        context.quiet = false;
        context.finished.add(source + "/0");
        context.advance(Duration.ofSeconds(1));
        assertThat(details().failure()).isEqualTo("all that count reads from has finished");
        assertThat(vertex.parallelism()).isEqualTo(3);
        assertThat(context.log).contains("release");
    }

    /** Eight steps of one key-group, the first of which has begun after a checkpoint of 10 s. */
    private void manySteps() throws Exception {
        vertex.settle(Assignment.contiguous(8, 1), 1);
        context.quiet = false;
        accepted(RescaleRequest.of(RescaleRequest.Target.byName("count", 8)).withBatchSize(1));
        context.deployment.complete(null);
        context.advance(Duration.ofSeconds(10));
        context.quiet = true;
        context.advance(Duration.ofMillis(2));
        begun(ALL);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        context.oneWaiting = true;
    }

    /**
     * @return where the rescale is then
     */
    private RescaleState aStepOf(int seconds) throws Exception {
        context.advance(Duration.ofSeconds(seconds));
        step++;
        started(ALL);
        completed(ALL);
        return details().state();
    }

    private RescaleState aCheckpointOf(int seconds) throws Exception {
        context.advance(Duration.ofSeconds(seconds));
        context.quiet = true;
        context.advance(Duration.ofMillis(2));
        return details().state();
    }

    /** What the step that has begun last tells its donor; its receiver is in no later one. */
    private int secondsUntilCheckpoint() {
        List<TaskCommand> steps =
                context.sent.stream()
                        .filter(TaskCommand.StartStep.class::isInstance)
                        .collect(Collectors.toList());
        StepMoves last = ((TaskCommand.StartStep) steps.get(steps.size() - 1)).moves();
        assertThat(last.checkpointAfter(last.to(0))).isZero();
        return Math.round(last.checkpointAfter(last.from(0)) / 1e9f);
    }

    @Test
    void tellsASecondBeforeACheckpointIsLikelyToWaitForTheEndOfAStep() throws Exception {
        manySteps();
        assertThat(secondsUntilCheckpoint()).as("none waits: in the next minute").isEqualTo(59);
        aStepOf(3);
        assertThat(secondsUntilCheckpoint()).as("one waits, a pause is due then").isEqualTo(6);
        aStepOf(4);
        assertThat(secondsUntilCheckpoint()).isEqualTo(2);
        assertThat(aStepOf(4)).isEqualTo(RescaleState.PAUSING);
        aCheckpointOf(1);
        assertThat(secondsUntilCheckpoint()).isEqualTo(59);
        aStepOf(4);
        context.intervalMillis = Long.MAX_VALUE;
        aStepOf(4);
        assertThat(secondsUntilCheckpoint()).as("never").isGreaterThan(2_000_000);
        while (details().stepsCompleted() < details().stepsTotal() - 1) {
            aStepOf(4);
        }
        assertThat(secondsUntilCheckpoint()).as("after the last one").isZero();
    }

    @Test
    void migratesForAsLongAsTheLastCheckpointTookBeforeItPausesForAnother() throws Exception {
        manySteps();
        assertThat(aStepOf(9)).isEqualTo(RescaleState.STARTING);
        assertThat(aStepOf(2)).isEqualTo(RescaleState.PAUSING);
        assertThat(context.checkpoints).hasSize(1);
        assertThat(aCheckpointOf(2)).isEqualTo(RescaleState.STARTING);
        context.oneWaiting = true;
        assertThat(aStepOf(1)).isEqualTo(RescaleState.STARTING);
        assertThat(aStepOf(2)).isEqualTo(RescaleState.PAUSING);
        assertThat(context.log).doesNotContain("release");
    }

    @Test
    void eventTimeGoesOnWhileACheckpointRunsBetweenTwoSteps() throws Exception {
        manySteps();
        aStepOf(9);
        context.sent.clear();
        assertThat(aStepOf(2)).isEqualTo(RescaleState.PAUSING);
        // subtask 0 gives to all others
        assertThat(alignments()).hasSize(8).containsOnly(0L);
        report(3, risen(id(), 70));
        context.advance(ALIGNMENT_PACE);
        assertThat(alignments()).isEmpty();
        report(0, risen(id(), 40));
        assertThat(alignments()).hasSize(8).containsOnly(40L);
        // soon is often enough
        report(0, risen(id(), 45));
        report(0, risen(id(), 46));
        assertThat(alignments()).isEmpty();
        context.advance(ALIGNMENT_PACE);
        assertThat(alignments()).hasSize(8).containsOnly(46L);
        report(0, risen(UUID.randomUUID(), 50));
        context.advance(ALIGNMENT_PACE);
        assertThat(alignments()).isEmpty();
        aCheckpointOf(2);
        assertThat(context.sent)
                .filteredOn(TaskCommand.StartStep.class::isInstance)
                .extracting(c -> ((TaskCommand.StartStep) c).watermarkOfReceivers())
                .containsOnly(46L);
        context.sent.clear();
        // units are on the way
        report(0, risen(id(), 60));
        context.advance(ALIGNMENT_PACE);
        assertThat(alignments()).isEmpty();
    }

    /**
     * Subtask 1 gives four key-groups to subtask 0, each in a step of its own. The first step is
     * over after 40 ms, in which the watermark stood at 1000. There is a timer.
     */
    private void afterAStepWithTimerAt(long time) throws Exception {
        beginScaleInWithTimerAt(time, 1);
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
        aStepTo(1_000, time);
    }

    private void beginScaleInWithTimerAt(long time, int batchSize) throws Exception {
        accepted(
                RescaleRequest.of(RescaleRequest.Target.byName("count", 1))
                        .withBatchSize(batchSize));
        for (int s = 0; s < vertex.connected(); s++) {
            EventTime now = new EventTime(1_000, time);
            report(s, new TaskReport.Begun(id(), new TransitionAddress("here", 1), now));
        }
    }

    private void aStepTo(long watermark, long timer) {
        step++;
        started(0, 1);
        context.advance(Duration.ofMillis(40));
        completedAt(watermark, timer, 0, 1);
    }

    private void completedAt(long watermark, long timer, int... subtasks) {
        for (int s : subtasks) {
            report(
                    s,
                    new TaskReport.StepCompleted(
                            id(),
                            step,
                            new EventTime(watermark, timer),
                            new StepStatistics(4, 1, 100, 0, WAITS, ReadAheadUse.NONE),
                            false,
                            2,
                            0));
        }
    }

    @Test
    void aStepLetsAWatermarkGoFirstThatHasTimersFire() throws Exception {
        afterAStepWithTimerAt(1_060);
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        context.sent.clear();
        context.advance(ALIGNMENT_PACE);
        report(1, new TaskReport.WatermarkRisen(id(), new EventTime(1_055, 1_060)));
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        assertThat(context.takeSent()).containsExactly("AlignWatermark", "AlignWatermark");
        context.advance(ALIGNMENT_PACE);
        report(1, new TaskReport.WatermarkRisen(id(), new EventTime(1_070, 9_000)));
        // receivers have risen, so that their timers fire before the step begins
        assertThat(context.takeSent())
                .containsExactly("AlignWatermark", "AlignWatermark", "StartStep", "StartStep");
        aStepTo(1_070, 9_000);
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
    }

    @Test
    void aWatermarkGoesBeforeNewSubtasksAreConnectedAndBeforeTheFirstStep() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        for (int s : new int[] {0, 1, 2}) {
            EventTime now = new EventTime(1_000, 1_020);
            report(s, new TaskReport.Begun(id(), new TransitionAddress("here", 1), now));
        }
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        context.advance(ALIGNMENT_PACE);
        risenAll(new EventTime(1_030, 1_060));
        assertThat(details().state()).isEqualTo(RescaleState.CONNECTING);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        context.advance(ALIGNMENT_PACE);
        risenAll(new EventTime(1_070, 9_000));
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
    }

    private void risenAll(EventTime time) {
        for (int s : new int[] {0, 1, 2}) {
            report(s, new TaskReport.WatermarkRisen(id(), time));
        }
    }

    @Test
    void aStepThatIsOverBeforeTheNextTimerBeginsAtOnce() throws Exception {
        // the next one would be over when the watermark is at 1080 at most
        afterAStepWithTimerAt(1_081);
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
    }

    @Test
    void aWatermarkThatIsAwaitedInVainIsAwaitedMoreSeldom() throws Exception {
        afterAStepWithTimerAt(1_060);
        // four times what a step should take, and 40 ms for this one
        context.advance(Duration.ofMillis(239));
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        context.advance(Duration.ofMillis(1));
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
        aStepTo(1_000, 1_060);
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
        aStepTo(1_000, 1_060);
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
    }

    @Test
    void whoYieldsCanBeStopped() throws Exception {
        afterAStepWithTimerAt(1_060);
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        abort(AbortMode.STOP);
        context.advance(Duration.ZERO);
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(details().stepsCompleted()).isEqualTo(1);
    }

    @Test
    void aSavepointDoesNotWaitForAWatermark() throws Exception {
        afterAStepWithTimerAt(1_060);
        context.oneWaiting = true;
        context.savepointAwaited = true;
        context.advance(Duration.ofMillis(2));
        assertThat(details().state()).isEqualTo(RescaleState.PAUSING);
    }

    private int sizeOfLastStep() {
        return context.sent.stream()
                .filter(TaskCommand.StartStep.class::isInstance)
                .mapToInt(command -> ((TaskCommand.StartStep) command).moves().size())
                .reduce((earlier, later) -> later)
                .getAsInt();
    }

    @Test
    void withoutALimitStepsAreNeitherShortNorYield() throws Exception {
        controller = controller(STEP_TIMEOUT);
        vertex.settle(Assignment.of(0, 1, 1, 1, 1, 1, 1, 1), 2);
        beginScaleInWithTimerAt(1_010, 8);
        assertThat(sizeOfLastStep()).isEqualTo(7);
    }

    @Test
    void whereThereIsEventTimeStepsHaveWhatThereIsTimeFor() throws Exception {
        vertex.settle(Assignment.of(0, 1, 1, 1, 1, 1, 1, 1), 2);
        beginScaleInWithTimerAt(Long.MAX_VALUE, 8);
        assertThat(sizeOfLastStep()).isEqualTo(StepTimes.FIRST);
        context.sent.clear();
        step++;
        started(0, 1);
        // twice as long as it should have taken
        context.advance(STEP_DURATION.multipliedBy(2));
        completedAt(1_000, Long.MAX_VALUE, 0, 1);
        assertThat(sizeOfLastStep()).isEqualTo(2);
    }

    @Test
    void yieldsOnceBeforeAStepHoweverOftenCheckpointsAreDue() throws Exception {
        afterAStepWithTimerAt(1_060);
        assertThat(details().state()).isEqualTo(RescaleState.YIELDING);
        context.oneWaiting = true;
        context.advance(Duration.ofMillis(2));
        assertThat(details().state()).isEqualTo(RescaleState.PAUSING);
        context.quiet = true;
        context.advance(Duration.ofMillis(2));
        // the timer is still to fire, and another checkpoint may be due at any time
        assertThat(details().state()).isEqualTo(RescaleState.STARTING);
    }

    @Test
    void donorsWithoutAPartInAStepTellHowFarTheyAre() throws Exception {
        // subtasks 1 and 2 give one after the other to subtask 0
        vertex.settle(Assignment.of(0, 0, 1, 1, 1, 2, 2, 2), 3);
        beginScaleInWithTimerAt(Long.MAX_VALUE, 1);
        TaskCommand.StartStep first =
                (TaskCommand.StartStep)
                        context.sent.stream()
                                .filter(TaskCommand.StartStep.class::isInstance)
                                .findFirst()
                                .get();
        int donor = first.moves().from(0);
        assertThat(context.sent)
                .filteredOn(TaskCommand.AlignWatermark.class::isInstance)
                .hasSize(1)
                .allSatisfy(c -> assertThat(((TaskCommand.AlignWatermark) c).asks()).isTrue());
        report(3 - donor, risen(id(), 1_040));
        context.sent.clear();
        step++;
        started(0, donor);
        completedAt(1_030, Long.MAX_VALUE, 0, donor);
        assertThat(context.sent)
                .filteredOn(TaskCommand.StartStep.class::isInstance)
                .extracting(c -> ((TaskCommand.StartStep) c).watermarkOfReceivers())
                .containsOnly(1_030L);
    }

    private static TaskReport risen(UUID rescale, long watermark) {
        return new TaskReport.WatermarkRisen(rescale, new EventTime(watermark, Long.MAX_VALUE));
    }

    /** The watermarks to which receivers may have risen since the last call. */
    private List<Long> alignments() {
        List<Long> watermarks = new ArrayList<>();
        for (TaskCommand command : context.sent) {
            if (command instanceof TaskCommand.AlignWatermark) {
                watermarks.add(((TaskCommand.AlignWatermark) command).watermark());
                assertThat(((TaskCommand.AlignWatermark) command).asks())
                        .isEqualTo(watermarks.size() == 1);
            }
        }
        context.sent.clear();
        return watermarks;
    }

    @Test
    void aSavepointIsTakenAtTheNextStep() throws Exception {
        manySteps();
        assertThat(aStepOf(1)).isEqualTo(RescaleState.STARTING);
        context.savepointAwaited = true;
        assertThat(aStepOf(1)).isEqualTo(RescaleState.PAUSING);
    }

    @Test
    void anAbortBeforeTheFirstStepLeavesNothing() throws Exception {
        rescale(4);
        abort(AbortMode.STOP);
        assertThat(context.log).endsWith("cancel 2..4");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(controller.stored()).isNull();
    }

    @Test
    void anAbortBeforeASubtaskIsDeployedEndsAtOnce() throws Exception {
        context.state = new CompletableFuture<>();
        rescale(4);
        abort(AbortMode.STOP);
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.log).doesNotContain("deploy 2..4");
    }

    @Test
    void anAbortDoesNotWaitForACheckpointThatIsOnItsWay() throws Exception {
        context.quiet = false;
        rescale(1);
        abort(AbortMode.STOP);
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(context.takeSent()).isEmpty();
    }

    @Test
    void anAbortIsRefusedWhenAllHasMovedButARollbackIsNot() throws Exception {
        migrated();
        assertThatThrownBy(() -> abort(AbortMode.STOP)).hasMessageContaining("mode=rollback");
        assertThat(abort(AbortMode.ROLLBACK).status()).isEqualTo(RescaleStatus.RUNNING);
    }

    /** Who knows that of the messages can send some to the tasks. */
    @Test
    void theIdThatIsShownIsNotThatOfTheMessages() throws Exception {
        rescale(1);
        assertThat(id().toString().replace("-", "")).isNotEqualTo(id);
    }

    @Test
    void anAbortOfWhatHasEndedIsRefused() throws Exception {
        rescale(3);
        controller.abandon("the job is cancelled");
        assertThatThrownBy(() -> abort(AbortMode.STOP)).hasMessageContaining("FAILED");
        id = UUID.randomUUID().toString();
        assertThatThrownBy(() -> abort(AbortMode.STOP)).hasMessageContaining("no rescale");
    }

    @Test
    void aRollbackMovesBackWhatHasMovedAndRemovesTheNewSubtasks() throws Exception {
        Assignment before = vertex.assignment();
        firstStep();
        UUID forth = id();
        abort(AbortMode.ROLLBACK);
        assertThat(controller.stored()).isNotNull();
        assertThat(controller.stored().rescale()).isNull();
        assertThat(controller.stored().vertices().get(0).assignment).isEqualTo(before);
        stepDone(1);
        assertThat(details().status()).isEqualTo(RescaleStatus.ROLLING_BACK);
        // what is late of the way forth must not be taken for a message of the way back
        assertThat(id()).isNotEqualTo(forth);
        assertThat(context.takeSent()).startsWith("Switch", "End", "End", "End", "Begin");
        begun(0, 1, 2);
        stepDone(2);
        assertThat(vertex.assignment()).isEqualTo(before);
        leaves(2);
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(details().failure()).isEqualTo("rolled back by request");
        assertThat(vertex.connected()).isEqualTo(2);
        assertThat(controller.stored()).isNull();
    }

    @Test
    void aRollbackOfAScaleInTriesAgainIfASubtaskThatComesBackFails() throws Exception {
        migrated();
        abort(AbortMode.ROLLBACK);
        leaves(1);
        assertThat(details().status()).isEqualTo(RescaleStatus.ROLLING_BACK);
        assertThat(context.log).endsWith("deploy 1..2");

        assertThat(controller.absorbsFailure(vertex.id(), 1, new Exception("gone"))).isTrue();
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.ROLLING_BACK);
        assertThat(details().attempt()).isEqualTo(2);
        assertThat(context.log).endsWith("deploy 1..2");

        assertThat(controller.absorbsFailure(vertex.id(), 1, new Exception("gone"))).isTrue();
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        context.advance(SLOT_TIMEOUT.dividedBy(2).minusMillis(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        context.advance(Duration.ofMillis(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.ROLLING_BACK);
        assertThat(details().attempt()).isEqualTo(3);
    }

    @Test
    void aRollbackForWhichCarriedListStateLeavesNoRoomLeavesTheJobAsItIs() throws Exception {
        vertex.settle(Assignment.contiguous(8, 8), 8);
        rescale(7);
        begun(0, 1, 2, 3, 4, 5, 6, 7);
        step = 1;
        started(7, 0, 1, 2, 3, 4, 5, 6);
        completed(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(details().state()).isEqualTo(RescaleState.DRAINING);
        abort(AbortMode.ROLLBACK);
        leaves(7);
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .startsWith("not rolled back: ")
                .contains("Parallelism 8", "list state of subtasks that are gone");
        assertThat(vertex.connected()).isEqualTo(7);
        assertThat(controller.stored().vertices().get(0).parallelism).isEqualTo(7);
        assertThat(context.failure).isNull();
        assertThat(context.log).doesNotContain("deploy 7..8").endsWith("request", "ended");

        // a restart redistributes the list state
        vertex.setCarried(0);
        rescale(8);
        assertThat(context.log).endsWith("deploy 7..8");
    }

    /** A subtask without key-groups leaves; checkpoints carry its list state from then on. */
    private void leaves(int subtask) {
        report(subtask, new TaskReport.InputEnded(id()));
        context.checkpoints.get(0).complete(7L);
        report(subtask, new TaskReport.CheckpointConfirmed(id(), 7));
        context.listState.complete(() -> vertex.setCarried(1));
        report(subtask, new TaskReport.Retired(id()));
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
    }

    @Test
    void aFailureInARollbackCompletesItByTheRestart() throws Exception {
        Assignment before = vertex.assignment();
        firstStep();
        abort(AbortMode.ROLLBACK);
        stepDone(1);
        controller.onFailure("a task has failed");
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(vertex.assignment()).isEqualTo(before);
        assertThat(vertex.deployed()).isEqualTo(2);
    }

    @Test
    void goesOnAfterAFailureWhenTheJobRunsAgain() throws Exception {
        firstStep();
        UUID first = id();
        context.jobState = JobState.RESTARTING;
        controller.onFailure("a task has failed");
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        assertThat(controller.isRescaling()).isFalse();
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThatThrownBy(() -> rescale(4)).hasMessageContaining("still running");
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        context.deployment = new CompletableFuture<>();
        context.jobState = JobState.RUNNING;
        context.advance(Duration.ofSeconds(1));
        assertThat(details().state()).isEqualTo(RescaleState.DEPLOYING);
        assertThat(details().attempt()).isEqualTo(2);
        context.deployment.complete(null);
        assertThat(id()).isNotEqualTo(first);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        stepDone(2);
        stepDone(3);
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(details().stepsCompleted()).isEqualTo(details().stepsTotal());
    }

    @Test
    void isGivenUpAfterTooManyFailures() throws Exception {
        rescale(3);
        for (int i = 0; i < 2; i++) {
            controller.onFailure("a task has failed");
            assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
            context.advance(Duration.ofSeconds(1));
            assertThat(details().state()).isEqualTo(RescaleState.DEPLOYING);
        }
        controller.onFailure("a task has failed");
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .contains("3 attempts", "meces.rescale.attempts", "a task has failed");
        assertThat(context.log).endsWith("request", "ended");
    }

    @Test
    void aNewSubtaskThatFailsBeforeItIsConnectedIsTriedAgainWithoutARestart() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1);
        context.takeSent();
        assertThat(controller.absorbsFailure(vertex.id(), 1, new Exception("gone"))).isFalse();
        assertThat(controller.absorbsFailure(vertex.id(), 2, new Exception("gone"))).isTrue();
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertThat(context.log).endsWith("cancel 2..3");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        assertThat(context.log).endsWith("release");
        context.advance(Duration.ofSeconds(1));
        assertThat(details().attempt()).isEqualTo(2);
        assertThat(context.failure).isNull();
    }

    @Test
    void newSubtasksThatFailAgainAreTriedWhenFlinkHasMissedATaskManagerThatIsGone()
            throws Exception {
        rescale(3);
        failNewSubtask();
        context.advance(Duration.ofSeconds(1));
        assertThat(details().attempt()).isEqualTo(2);
        failNewSubtask();
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        context.advance(SLOT_TIMEOUT.dividedBy(2).minusMillis(1));
        assertThat(details().attempt()).isEqualTo(2);
        context.advance(Duration.ofMillis(1));
        assertThat(details().attempt()).isEqualTo(3);
        failNewSubtask();
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).contains("given up after 3 attempts", "gone");
        assertThat(context.failure).isNull();
    }

    /** Before it has a part in the job. */
    private void failNewSubtask() throws Exception {
        context.deployment.complete(null);
        begun(0, 1);
        assertThat(controller.absorbsFailure(vertex.id(), 2, new Exception("gone"))).isTrue();
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id()));
    }

    @Test
    void aNewSubtaskThatIsConnectedTakesTheJobWithItWhenItFails() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        assertThat(controller.absorbsFailure(vertex.id(), 2, new Exception("gone"))).isFalse();
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id()));
        assertThat(controller.absorbsFailure(vertex.id(), 2, new Exception("gone"))).isFalse();
    }

    @Test
    void doesNotGoOnInAJobThatEnds() throws Exception {
        rescale(3);
        controller.onFailure("a task has failed");
        context.jobState = JobState.FAILED;
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).isEqualTo("a task has failed");
    }

    @Test
    void goesOnAfterARestartForWhichASourceThatHadFinishedRunsAgain() throws Exception {
        rescale(3);
        context.finished.add(source + "/0");
        context.jobState = JobState.RESTARTING;
        controller.onFailure("a task has failed");
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        context.finished.clear();
        context.jobState = JobState.RUNNING;
        context.advance(Duration.ofSeconds(1));
        assertThat(details().state()).isEqualTo(RescaleState.DEPLOYING);
    }

    @Test
    void doesNotGoOnIfASourceFinishesAfterTheRestart() throws Exception {
        rescale(3);
        controller.onFailure("a task has failed");
        context.finished.add(source + "/0");
        context.advance(Duration.ofSeconds(1));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
    }

    @Test
    void aRescaleThatWaitsForTheJobCanBeAborted() throws Exception {
        rescale(3);
        context.jobState = JobState.RESTARTING;
        controller.onFailure("a task has failed");
        assertThat(abort(AbortMode.STOP).status()).isEqualTo(RescaleStatus.ABORTED);
        context.jobState = JobState.RUNNING;
        rescale(3);
    }

    @Test
    void aJobThatStandsAsItsCodeHasItStoresNothing() throws Exception {
        assertThat(controller.stored()).isNull();
        rescale(3);
        assertThat(controller.stored()).isNotNull();
    }

    private RescaleController newJobManager(int attempts) throws Exception {
        StoredElasticity stored =
                StoredElasticityFormat.deserialize(
                        StoredElasticityFormat.VERSION,
                        StoredElasticityFormat.serialize(controller.stored()));
        controller.abandon("the JobManager is gone");
        vertex.settle(Assignment.contiguous(8, 2), 2);
        context.log.clear();
        controller = controller(false, attempts);
        controller.restore(stored);
        return controller;
    }

    @Test
    void aNewJobManagerGoesOnWithARescale() throws Exception {
        firstStep();
        newJobManager(3);
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        assertThat(vertex.parallelism()).isEqualTo(2);
        context.deployment = new CompletableFuture<>();
        controller.start();
        context.advance(Duration.ofSeconds(1));
        assertThat(context.log).containsExactly("deploy 2..3");
        assertThat(details().id()).isEqualTo(id);
        assertThat(details().attempt()).isEqualTo(2);
        assertThat(details().vertices().get(0).to()).isEqualTo(3);
    }

    @Test
    void aNewJobManagerDoesNotGoOnIfItIsNotToOrHasTriedTooOften() throws Exception {
        firstStep();
        newJobManager(1);
        controller.start();
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure()).contains("new JobManager");
        rescale(3);
    }

    @Test
    void aNewJobManagerRestoresWhatARescaleHasReached() throws Exception {
        rescale(1);
        begun(0, 1);
        step = 1;
        started(0, 1);
        completed(0, 1);
        assertThat(controller.stored().vertices().get(0).parallelism).isEqualTo(1);
        newJobManager(3);
        assertThat(vertex.parallelism()).isEqualTo(1);
        controller.start();
        context.advance(Duration.ofSeconds(1));
        // there is nothing left to do
        assertThat(details().status()).isEqualTo(RescaleStatus.FINISHED);
    }

    @Test
    void whatDoesNotFitTheJobIsNotRestored() throws Exception {
        controller.restore(
                new StoredElasticity(
                        Arrays.asList(
                                new StoredElasticity.Vertex(
                                        vertex.id(), 9, Assignment.contiguous(16, 9)),
                                new StoredElasticity.Vertex(
                                        VertexId.random(), 1, Assignment.contiguous(8, 1))),
                        null));
        assertThat(vertex.parallelism()).isEqualTo(2);
    }

    @Test
    void aRescaleToWhatDoesNotFitTheJobAnyMoreHasFailedAndSaysWhy() throws Exception {
        StoredElasticity.Vertex here =
                new StoredElasticity.Vertex(vertex.id(), 2, Assignment.contiguous(8, 2));
        StoredElasticity.Vertex tooWide =
                new StoredElasticity.Vertex(vertex.id(), 9, Assignment.contiguous(8, 8));
        StoredElasticity.Vertex gone =
                new StoredElasticity.Vertex(VertexId.random(), 1, Assignment.contiguous(8, 1));
        controller.restore(
                new StoredElasticity(
                        Collections.singletonList(here),
                        storedRescale(
                                new StoredElasticity.Target(here, tooWide),
                                new StoredElasticity.Target(gone, gone))));
        assertThat(details().status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(details().failure())
                .contains("count", "cannot have 9 subtasks", "capacity is 8")
                .contains("no elastic vertex " + gone.id);
        controller.start();
        context.advance(Duration.ofSeconds(1));
        assertThat(controller.isRescaling()).isFalse();
        assertThat(controller.stored()).isNull();
        rescale(3);
    }

    @Test
    void aRestoredRescaleFromWhatDoesNotFitAnyMoreGoesOnAndIsRolledBackToWhereTheVertexIs()
            throws Exception {
        StoredElasticity.Vertex tooWide =
                new StoredElasticity.Vertex(vertex.id(), 9, Assignment.contiguous(8, 8));
        StoredElasticity.Vertex goal =
                new StoredElasticity.Vertex(vertex.id(), 1, Assignment.contiguous(8, 1));
        controller.restore(
                new StoredElasticity(
                        Collections.singletonList(tooWide),
                        storedRescale(new StoredElasticity.Target(tooWide, goal))));
        assertThat(details().status()).isEqualTo(RescaleStatus.RECOVERING);
        assertThat(details().cause()).isEqualTo(RescaleCause.AUTOSCALER);
        assertThat(details().vertices().get(0).from()).isEqualTo(2);
        assertThat(details().vertices().get(0).to()).isEqualTo(1);
        controller.start();
        context.advance(Duration.ofSeconds(1));
        assertThat(details().state()).isEqualTo(RescaleState.BEGINNING);
    }

    private static StoredElasticity.Rescale storedRescale(StoredElasticity.Target... targets) {
        return new StoredElasticity.Rescale(
                UUID.randomUUID(), RescaleCause.AUTOSCALER, 0, 8, 1, Arrays.asList(targets));
    }

    @Test
    void damagedDataOfACheckpointAreRefused() throws Exception {
        rescale(3);
        byte[] bytes = StoredElasticityFormat.serialize(controller.stored());
        assertThatThrownBy(
                        () ->
                                StoredElasticityFormat.deserialize(
                                        StoredElasticityFormat.VERSION,
                                        Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");
        assertThatThrownBy(() -> StoredElasticityFormat.deserialize(3, bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 3");
    }

    @Test
    void aJobThatIsBeingStoppedEndsItsRescaleFirst() throws Exception {
        firstStep();
        Stopping stopping = new Stopping("the job is being stopped");
        assertThat(stopping.hasBegun).isFalse();
        stepDone(1);
        assertThat(stopping.hasBegun).isTrue();
        assertThat(details().status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(details().failure()).isEqualTo("the job is being stopped");
        assertThat(context.log).doesNotContain("request");
        assertThatThrownBy(() -> rescale(2)).hasMessageContaining("the job is being stopped");
        stopping.fail();
        rescale(2);
    }

    @Test
    void aStopThatFailsLeavesTheBanOfAnother() throws Exception {
        firstStep();
        Stopping first = new Stopping("the job is being stopped");
        Stopping second = new Stopping("the job is being stopped again");
        assertThat(second.hasBegun).isFalse();
        stepDone(1);
        assertThat(first.hasBegun).isTrue();
        assertThat(second.hasBegun).isTrue();
        second.fail();
        assertThatThrownBy(() -> rescale(2)).hasMessageEndingWith("the job is being stopped");
        first.fail();
        rescale(2);
    }

    @Test
    void aStopThatSucceedsLetsNoRescaleBegin() {
        Stopping stopping = new Stopping("the job is being stopped");
        assertThat(stopping.hasBegun).isTrue();
        stopping.stop.complete(null);
        assertThatThrownBy(() -> rescale(2)).hasMessageContaining("the job is being stopped");
    }

    /** Something that is to be done without a rescale. */
    private final class Stopping {
        private final CompletableFuture<Void> stop = new CompletableFuture<>();
        private boolean hasBegun;

        private Stopping(String reason) {
            controller.withoutRescale(
                    reason,
                    () -> {
                        hasBegun = true;
                        return stop;
                    },
                    Runnable::run);
        }

        private void fail() {
            stop.completeExceptionally(new RescaleException("no storage"));
        }
    }

    @Test
    void oneRescaleAtATime() throws Exception {
        rescale(3);
        assertThatThrownBy(() -> rescale(4))
                .isInstanceOfSatisfying(
                        RescaleRefusedException.class,
                        e ->
                                assertThat(e.getKind())
                                        .isEqualTo(RescaleRefusedException.Kind.CONFLICT));
    }
}
