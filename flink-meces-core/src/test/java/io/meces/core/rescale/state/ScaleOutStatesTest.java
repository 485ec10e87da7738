// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleState;
import io.meces.core.command.StateDescription;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.VertexId;
import io.meces.core.job.Participants;
import io.meces.core.rescale.RecordedRescale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The states in which new subtasks come, or go again. From 2 to 3 subtasks, if not said. */
class ScaleOutStatesTest {

    private final RecordedRescale rescale = new RecordedRescale(2, 3);
    private final UUID id = rescale.scaling().id;

    // ------------------------------------------------------------------------
    //  Describing
    // ------------------------------------------------------------------------

    @Test
    void describingEndsWhenAllSubtasksThatAreThereHaveDescribedTheirState() {
        rescale.job.state = new CompletableFuture<>();
        rescale.enter(new Describing(rescale));
        assertThat(rescale.takeCalls()).containsExactly("describeState: 0", "describeState: 1");
        rescale.job.state.complete(new StateDescription(new byte[] {1}, null));
        assertThat(rescale.takeCalls()).containsExactly("onDescribed: [1]");
    }

    @Test
    void describingMeetsAnObstacleBeforeAnythingIsTouched() {
        rescale.job.state =
                CompletableFuture.completedFuture(new StateDescription(new byte[0], "its timers"));
        rescale.enter(new Describing(rescale));
        assertThat(rescale.takeCalls())
                .containsExactly("describeState: 0", "meetObstacle: its timers");
        assertThat(rescale.job.takeSent()).isEmpty();
    }

    @Test
    void describingAsksWhetherStateInAnotherFormatCanBeTaken() {
        for (int format : new int[] {1, 2, 1, 2}) {
            rescale.states.add(state(format, null));
        }
        rescale.enter(new Describing(rescale));
        assertThat(rescale.takeCalls())
                .containsExactly(
                        "describeState: 0",
                        "describeState: 1",
                        "describeState: 0 of 2",
                        "describeState: 1 of 2",
                        "onDescribed: [1]");
    }

    @Test
    void describingMeetsAFormatThatCannotBeTaken() {
        rescale.states.add(state(1, null));
        rescale.states.add(state(2, null));
        rescale.states.add(state(1, "state 'x'"));
        rescale.enter(new Describing(rescale));
        assertThat(rescale.takeCalls())
                .endsWith("describeState: 0 of 2", "meetObstacle: state 'x'");
    }

    private static CompletableFuture<StateDescription> state(int format, String obstacle) {
        return CompletableFuture.completedFuture(
                new StateDescription(new byte[] {(byte) format}, obstacle));
    }

    @Test
    void describingAsksAgainWhoWasNotReachedUntilItTakesTooLong() {
        rescale.job.state = new CompletableFuture<>();
        rescale.job.state.completeExceptionally(new IllegalStateException("gone"));
        rescale.enter(new Describing(rescale));
        rescale.takeCalls();
        rescale.job.state = new CompletableFuture<>();
        rescale.job.advance(ReportState.NEWS);
        assertThat(rescale.takeCalls())
                .containsExactlyInAnyOrder("describeState: 0", "describeState: 1");
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT.minus(ReportState.NEWS));
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("giveUp: DEPLOYING took longer than")
                .contains("waiting for the state of subtasks [0, 1]")
                .endsWith("gone");
    }

    @Test
    void describingIsGivenUpWhenAnUpstreamFinishes() {
        rescale.job.state = new CompletableFuture<>();
        rescale.enter(new Describing(rescale));
        rescale.takeCalls();
        rescale.finish(rescale.source);
        assertThat(rescale.takeCalls())
                .containsExactly("giveUp: all that count reads from has finished");
    }

    // ------------------------------------------------------------------------
    //  Deploying
    // ------------------------------------------------------------------------

    @Test
    void deployingEndsWhenTheNewSubtasksRun() {
        rescale.enter(new Deploying(rescale, new byte[0]));
        assertThat(rescale.takeCalls()).containsExactly("deploy");
        rescale.job.deployment.complete(null);
        assertThat(rescale.takeCalls()).containsExactly("onDeployed");
        rescale.job.advance(RecordedRescale.SLOT_TIMEOUT);
        assertThat(rescale.takeCalls()).as("its limit does not outlive it").isEmpty();
    }

    @Test
    void deployingIsGivenUpWithoutSlots() {
        rescale.job.withoutSlot.add(2);
        rescale.enter(new Deploying(rescale, new byte[0]));
        rescale.takeCalls();
        rescale.job.advance(RecordedRescale.SLOT_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("undeploy: no slots for 1 of 1 new subtask(s) of count within")
                .contains("meces.rescale.slot-timeout")
                .endsWith("Start TaskManagers with 1 more slot(s), or ask for less.");
        rescale.job.deployment.complete(null);
        assertThat(rescale.takeCalls()).isEmpty();
    }

    /** A slot of the sharing group is there, but the subtask does not come to run in it. */
    @Test
    void deployingDoesNotAskForSlotsWhereThereAreSome() {
        rescale.enter(new Deploying(rescale, new byte[0]));
        rescale.takeCalls();
        rescale.job.advance(RecordedRescale.SLOT_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("undeploy: 1 new subtask(s) of count have their slots, but did not run")
                .doesNotContain("no slots");
    }

    @Test
    void deployingTellsHowManySlotsAreMissingAndForHowLong() {
        rescale.job.withoutSlot.add(2);
        Deploying deploying = new Deploying(rescale, new byte[0]);
        rescale.enter(deploying);
        assertThat(deploying.missingSlots()).isEqualTo(1);
        assertThat(deploying.nanosLeft()).isEqualTo(RecordedRescale.SLOT_TIMEOUT.toNanos());
        rescale.job.withoutSlot.clear();
        assertThat(deploying.missingSlots()).isZero();
    }

    @Test
    void deployingIsGivenUpWhenAnUpstreamFinishesButNotWhenAnotherTaskDoes() {
        rescale.enter(new Deploying(rescale, new byte[0]));
        rescale.takeCalls();
        rescale.finish(VertexId.random());
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.finish(rescale.source);
        assertThat(rescale.takeCalls())
                .containsExactly("undeploy: all that count reads from has finished");
    }

    // ------------------------------------------------------------------------
    //  Beginning
    // ------------------------------------------------------------------------

    @Test
    void beginningEndsWhenAllDonorsAndReceiversHaveBegun() {
        Participants participants = new Participants();
        rescale.enter(new Beginning(rescale, participants, 7));
        assertThat(rescale.job.takeSent()).containsExactly("Begin", "Begin", "Begin");
        rescale.begun(0, 1);
        assertThat(rescale.takeCalls()).containsExactly("onEventTime: 0", "onEventTime: 0");
        participants.onWatermark(rescale.job.attempt(rescale.vertex.id(), 2), 0);
        rescale.begun(2);
        assertThat(rescale.takeCalls()).containsExactly("onEventTime: 0", "onBegun");
        assertThat(participants.told()).containsExactly(0, 1, 2);
        assertThat(participants.address(2)).isNotNull();
    }

    @Test
    void beginningIsGivenUpWhenOneDoesNotAnswer() {
        rescale.enter(new Beginning(rescale, new Participants(), 7));
        rescale.begun(0, 2);
        rescale.takeCalls();
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("giveUp: BEGINNING took longer than PT1M")
                .contains("begun from " + rescale.job.attempt(rescale.vertex.id(), 1));
    }

    @Test
    void beginningIsGivenUpWhenAnUpstreamFinishes() {
        rescale.enter(new Beginning(rescale, new Participants(), 7));
        rescale.finish(rescale.source);
        assertThat(rescale.takeCalls())
                .containsExactly("giveUp: all that count reads from has finished");
    }

    // ------------------------------------------------------------------------
    //  Connecting
    // ------------------------------------------------------------------------

    @Test
    void connectingEndsWhenUpstreamsAndConsumersHaveOpenedTheirChannels() {
        rescale.enter(new Connecting(rescale));
        assertThat(rescale.takeCalls()).containsExactly("publishNewSubtasks");
        assertThat(rescale.job.takeSent()).containsExactly("Connect");
        rescale.report(rescale.sourceTask(), new TaskReport.Connected(id));
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.report(rescale.sinkTask(), new TaskReport.ChannelChanged(0, 2, true));
        assertThat(rescale.takeCalls()).containsExactly("onConnected");
    }

    @Test
    void connectingRepeatsWhatIsNotConfirmed() {
        rescale.job.lost = TaskCommand.Connect.class;
        rescale.enter(new Connecting(rescale));
        rescale.job.advance(ReportState.NEWS);
        rescale.job.lost = null;
        rescale.job.advance(ReportState.NEWS);
        rescale.job.advance(ReportState.NEWS);
        assertThat(rescale.job.takeSent()).containsExactly("Connect", "Connect", "Connect");
    }

    @Test
    void connectingIsGivenUpWhenAnUpstreamFinishesInstead() {
        rescale.enter(new Connecting(rescale));
        rescale.takeCalls();
        rescale.finish(rescale.source);
        assertThat(rescale.takeCalls())
                .containsExactly("withdraw: all that count reads from has finished");
    }

    @Test
    void connectingGoesOnWhenAnUpstreamFinishesThatHasConnected() {
        rescale.enter(new Connecting(rescale));
        rescale.report(rescale.sourceTask(), new TaskReport.Connected(id));
        rescale.takeCalls();
        rescale.finish(rescale.source);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.finish(rescale.sink);
        assertThat(rescale.takeCalls()).containsExactly("onConnected");
    }

    @Test
    void connectingIsGivenUpWhereThereAreNoBuffers() {
        rescale.enter(new Connecting(rescale));
        rescale.takeCalls();
        rescale.report(rescale.sourceTask(), new TaskReport.ConnectFailed(id, "source: none"));
        assertThat(rescale.takeCalls())
                .containsExactly(
                        "withdraw: new subtasks of count cannot be connected with source: none");
        rescale.enter(new Connecting(rescale));
        rescale.takeCalls();
        rescale.report(rescale.sinkTask(), new TaskReport.NotConnected(0, 2, "sink: none"));
        assertThat(rescale.takeCalls())
                .containsExactly(
                        "withdraw: new subtask 2 of count cannot be connected with sink: none");
    }

    @Test
    void connectingIsGivenUpWhenItTakesTooLong() {
        rescale.enter(new Connecting(rescale));
        rescale.takeCalls();
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("withdraw: CONNECTING took longer");
    }

    // ------------------------------------------------------------------------
    //  Retiring, Cancelling, Disconnecting
    // ------------------------------------------------------------------------

    @Test
    void withdrawingEndsWhenTheNewSubtasksHaveTakenLeaveOfTheirConsumers() {
        rescale.enter(new Retiring(rescale, RescaleState.WITHDRAWING, 2, 3, rescale.next()));
        assertThat(rescale.job.takeSent()).containsExactly("Retire");
        rescale.report(2, new TaskReport.Retired(id));
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.report(rescale.sinkTask(), new TaskReport.ChannelChanged(0, 2, false));
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    @Test
    void withdrawingDoesNotWaitForAConsumerThatNeverKnewTheSubtask() {
        rescale.enter(new Retiring(rescale, RescaleState.WITHDRAWING, 2, 3, rescale.next()));
        rescale.report(rescale.sinkTask(), new TaskReport.NotConnected(0, 2, "no buffers"));
        rescale.report(2, new TaskReport.Retired(id));
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    @Test
    void undeployingEndsWhenTheNewSubtasksAreGone() {
        rescale.enter(
                new Cancelling(
                        rescale, RescaleState.UNDEPLOYING, rescale::cancelNew, rescale.next()));
        rescale.job.cancellation.complete(null);
        assertThat(rescale.takeCalls()).containsExactly("cancelNew", "next");
    }

    @Test
    void undeployingRestartsTheJobIfAFailoverInterferes() {
        rescale.enter(
                new Cancelling(
                        rescale, RescaleState.UNDEPLOYING, rescale::cancelNew, rescale.next()));
        rescale.job.cancellation.completeExceptionally(new IllegalStateException("taken over"));
        assertThat(rescale.takeCalls()).containsExactly("cancelNew", "failJob: taken over");
    }

    @Test
    void disconnectingEndsWhenUpstreamsHaveClosedTheirChannels() {
        rescale.enter(new Disconnecting(rescale, 2, 3, false, rescale.next()));
        assertThat(rescale.job.takeSent()).containsExactly("Disconnect");
        rescale.report(rescale.sourceTask(), new TaskReport.Disconnected(id));
        assertThat(rescale.takeCalls()).containsExactly("next");
    }

    @Test
    void disconnectingRestartsTheJobUnlessTheChannelsWereNeverOpened() {
        rescale.enter(new Disconnecting(rescale, 2, 3, true, rescale.next()));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls()).isEmpty();
        rescale.enter(new Disconnecting(rescale, 2, 3, false, rescale.next()));
        rescale.job.advance(RecordedRescale.STEP_TIMEOUT);
        assertThat(rescale.takeCalls())
                .singleElement()
                .asString()
                .startsWith("failJob: DISCONNECTING took longer");
    }
}
