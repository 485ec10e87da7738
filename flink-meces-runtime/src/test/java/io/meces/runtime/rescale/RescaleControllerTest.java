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

package io.meces.runtime.rescale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.api.RescaleAccepted;
import io.meces.runtime.api.RescalePlans;
import io.meces.runtime.api.RescaleRefusedException;
import io.meces.runtime.api.RescaleRequest;
import io.meces.runtime.api.RescaleStatus;
import io.meces.runtime.api.RescaleStatusRequest;
import io.meces.runtime.api.RescaleStatuses;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.migration.StepMoves;
import io.meces.runtime.migration.StepStatistics;
import io.meces.runtime.plan.UniformStrategy;
import io.meces.runtime.transition.TransitionAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.UUID;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.Test;

/** The life of a rescale on the JobManager, with tasks that are played by the test. */
class RescaleControllerTest {

    private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(60);

    private final JobVertexID source = new JobVertexID();
    private final ElasticVertex vertex = vertex();
    private final FakeContext context = new FakeContext(vertex);
    private RescaleController controller = controller(false);
    private UUID id;
    private long step;

    private ElasticVertex vertex() {
        ElasticVertex v = new ElasticVertex(new JobVertexID(), "count", 2, 8, 8, 4);
        v.addInput(new IntermediateDataSetID(), source);
        return v;
    }

    private RescaleController controller(boolean aborts) {
        return new RescaleController(
                Collections.singletonList(vertex),
                null,
                new RescaleSettings(8, SLOT_TIMEOUT, STEP_TIMEOUT, aborts, new UniformStrategy()),
                context);
    }

    private void rescale(int parallelism) throws Exception {
        String hex = ((RescaleAccepted) controller.handle(request(parallelism, false))).id;
        id =
                UUID.fromString(
                        hex.replaceFirst(
                                "(\\w{8})(\\w{4})(\\w{4})(\\w{4})(\\w{12})", "$1-$2-$3-$4-$5"));
    }

    private static RescaleRequest request(int parallelism, boolean dryRun) {
        return new RescaleRequest(
                Collections.singletonList(RescaleRequest.Target.byName("count", parallelism)),
                null,
                dryRun);
    }

    private RescaleStatus status() throws Exception {
        return ((RescaleStatuses) controller.handle(new RescaleStatusRequest(null)))
                .rescales.get(0);
    }

    private void report(int subtask, TaskReport report) {
        controller.onReport(context.attempt(vertex.id(), subtask), report);
    }

    private void begun(int... subtasks) {
        for (int s : subtasks) {
            report(s, new TaskReport.Begun(id, new TransitionAddress("here", 1), 0));
        }
    }

    private void started(int... subtasks) {
        for (int s : subtasks) {
            report(s, new TaskReport.StepStarted(id, step));
        }
    }

    private void completed(int... subtasks) {
        for (int s : subtasks) {
            report(
                    s,
                    new TaskReport.StepCompleted(
                            id, step, 0, new StepStatistics(4, 1, 100, 0, 0), 0));
        }
    }

    @Test
    void aScaleOutGoesThroughItsStates() throws Exception {
        rescale(3);
        assertThat(status().state).isEqualTo(RescaleStatus.State.DEPLOYING);
        assertThat(vertex.layout().parallelism()).isEqualTo(3);
        context.deployment.complete(null);
        assertThat(context.takeSent()).containsExactly("Begin", "Begin", "Begin");
        begun(0, 1, 2);
        assertThat(context.takeSent()).containsExactly("Connect");
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id));
        assertThat(status().state).isEqualTo(RescaleStatus.State.MIGRATING);
        assertThat(context.takeSent()).containsExactly("StartStep", "StartStep", "StartStep");
        step = 1;
        started(0, 1);
        assertThat(context.takeSent()).isEmpty();
        started(2);
        assertThat(context.takeSent()).containsExactly("Switch");
        completed(0, 1, 2);
        assertThat(context.takeSent()).containsExactly("End", "End", "End");
        assertThat(status().state).isEqualTo(RescaleStatus.State.FINISHED);
        assertThat(vertex.parallelism()).isEqualTo(3);
        assertThat(context.log).endsWith("release", "ended");
    }

    @Test
    void newSubtasksGetTheBroadcastStateBeforeTheFirstStep() throws Exception {
        vertex.markBroadcastInputs();
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        context.takeSent();
        context.stopWaiting = true;
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id));
        StepMoves handover = ((TaskCommand.StartStep) context.sent.get(0)).moves();
        assertThat(handover.giver()).isZero();
        assertThat(handover.takers().stream()).containsExactly(2);
        assertThat(context.takeSent()).containsExactly("StartStep", "StartStep");
        step = 1;
        started(0, 2);
        assertThat(context.takeSent()).containsExactly("Switch");
        completed(0);
        assertThat(status().stepsCompleted).isZero();
        context.stopWaiting = false;
        completed(2);
        assertThat(context.takeSent()).containsExactly("StartStep", "StartStep", "StartStep");
        step = 2;
        started(0, 1, 2);
        completed(0, 1, 2);
        assertThat(status().state).isEqualTo(RescaleStatus.State.FINISHED);
        assertThat(status().stepsCompleted).isEqualTo(1);
    }

    @Test
    void aScaleInHandsOverNoBroadcastState() throws Exception {
        vertex.markBroadcastInputs();
        rescale(1);
        begun(0, 1);
        TaskCommand first = context.sent.get(2);
        assertThat(((TaskCommand.StartStep) first).moves().giver()).isNegative();
    }

    @Test
    void aStepThatEndsForOneBeforeAllHaveHeardOfItIsCounted() throws Exception {
        rescale(3);
        context.deployment.complete(null);
        begun(0, 1, 2);
        controller.onReport(context.attempt(source, 0), new TaskReport.Connected(id));
        step = 1;
        started(0);
        completed(0);
        started(1, 2);
        completed(1, 2);
        assertThat(status().state).isEqualTo(RescaleStatus.State.FINISHED);
    }

    @Test
    void withoutSlotsTheJobStaysAsItWas() throws Exception {
        rescale(4);
        context.advance(SLOT_TIMEOUT);
        assertThat(context.log).contains("cancel 2..4");
        context.cancellation.complete(null);
        // they may have come as far as to ask for their partitions
        assertThat(context.takeSent()).containsExactly("Disconnect");
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id));
        assertThat(status().state).isEqualTo(RescaleStatus.State.FAILED);
        assertThat(status().failure).contains("no slots").contains("meces.rescale.slot-timeout");
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.failure).isNull();
        rescale(3);
    }

    @Test
    void aJobThatFinishesWhileSubtasksAreDeployedIsNotKeptByThem() throws Exception {
        rescale(4);
        controller.onFinished(context.attempt(source, 0));
        assertThat(context.log).endsWith("cancel 2..4");
        context.cancellation.complete(null);
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id));
        assertThat(status().failure).contains("ending");
        assertThat(vertex.deployed()).isEqualTo(2);
        assertThat(context.log).endsWith("ended");
    }

    @Test
    void reportsOfAnEarlierRescaleAreDropped() throws Exception {
        rescale(1);
        controller.onReport(
                context.attempt(vertex.id(), 0),
                new TaskReport.Begun(UUID.randomUUID(), new TransitionAddress("here", 1), 0));
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
        assertThat(status().failure).contains("ending");
        assertThat(context.log).endsWith("release", "ended");
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
        assertThat(status().state).isEqualTo(RescaleStatus.State.RETIRING);
        assertThat(context.takeSent()).containsExactly("End", "End", "EndInput");
        assertThat(context.checkpoints).isEmpty();
        report(1, new TaskReport.InputEnded(id));
        assertThat(context.checkpoints).hasSize(1);
        // an earlier checkpoint does not count, and neither does another subtask
        report(1, new TaskReport.CheckpointConfirmed(id, 6));
        context.checkpoints.get(0).complete(7L);
        report(0, new TaskReport.CheckpointConfirmed(id, 7));
        assertThat(context.log).doesNotContain("read 1..2 of 7");
        report(1, new TaskReport.CheckpointConfirmed(id, 7));
        assertThat(context.log).endsWith("read 1..2 of 7");
        assertThat(context.takeSent()).isEmpty();
        context.listState.complete(() -> context.log.add("carry"));
        assertThat(context.takeSent()).containsExactly("Retire");
        report(1, new TaskReport.Retired(id));
        assertThat(context.log).endsWith("cancel 1..2");
        context.cancellation.complete(null);
        assertThat(context.takeSent()).containsExactly("Disconnect");
        controller.onReport(context.attempt(source, 0), new TaskReport.Disconnected(id));
        assertThat(status().state).isEqualTo(RescaleStatus.State.FINISHED);
        assertThat(vertex.connected()).isEqualTo(1);
        assertThat(context.log).endsWith("carry", "release", "ended");
    }

    @Test
    void aConfirmationThatComesBeforeTheCheckpointIsKnownCounts() throws Exception {
        migrated();
        report(1, new TaskReport.InputEnded(id));
        report(1, new TaskReport.CheckpointConfirmed(id, 7));
        context.checkpoints.get(0).complete(7L);
        assertThat(context.log).endsWith("read 1..2 of 7");
    }

    @Test
    void checkpointsThatFailOrAreNotConfirmedAreTakenAgainTenTimes() throws Exception {
        migrated();
        report(1, new TaskReport.InputEnded(id));
        context.checkpoints.get(0).complete(1L);
        context.advance(STEP_TIMEOUT);
        for (int i = 1; i < 10; i++) {
            assertThat(context.failure).isNull();
            context.advance(Duration.ofMillis(200));
            assertThat(context.checkpoints).hasSize(i + 1);
            context.checkpoints.get(i).completeExceptionally(new Exception("a test"));
        }
        assertThat(context.failure).hasStackTraceContaining("a test");
    }

    @Test
    void listStateThatCannotBeCarriedIsHandedOverByARestart() throws Exception {
        migrated();
        report(1, new TaskReport.InputEnded(id));
        context.checkpoints.get(0).complete(7L);
        report(1, new TaskReport.CheckpointConfirmed(id, 7));
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
        report(1, new TaskReport.InputEnded(id));
        assertThat(status().state).isEqualTo(RescaleStatus.State.FINISHED);
        assertThat(context.checkpoints).isEmpty();
        assertThat(vertex.connected()).isEqualTo(2);
        assertThat(context.log).endsWith("release", "ended");
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
    void aCheckpointOnItsWayIsAwaitedOrAborted() throws Exception {
        context.quiet = false;
        rescale(1);
        context.advance(Duration.ofSeconds(1));
        assertThat(context.takeSent()).isEmpty();
        context.quiet = true;
        context.advance(Duration.ofSeconds(1));
        assertThat(context.takeSent()).containsExactly("Begin", "Begin");
        controller.abandon("test");

        context.quiet = false;
        controller = controller(true);
        rescale(1);
        assertThat(context.log).contains("abort");
        assertThat(context.takeSent()).containsExactly("Begin", "Begin");
    }

    @Test
    void aRestartPutsTheVertexBackAndAllowsAnotherRescale() throws Exception {
        rescale(4);
        controller.abandon("the job restarts");
        assertThat(status().failure).isEqualTo("the job restarts");
        assertThat(vertex.deployed()).isEqualTo(2);
        context.deployment.complete(null);
        assertThat(context.takeSent()).isEmpty();
        rescale(3);
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        RescalePlans plans = (RescalePlans) controller.handle(request(4, true));
        assertThat(plans.vertices.get(0).before).containsExactly(4, 4);
        assertThat(plans.vertices.get(0).after).containsExactly(2, 2, 2, 2);
        assertThat(context.log).isEmpty();
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
