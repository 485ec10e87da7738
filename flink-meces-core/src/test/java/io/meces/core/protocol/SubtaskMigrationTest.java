// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.simulation.SimulatedElement;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The protocol in small scenes. Key-group 0 goes from subtask 0 to subtask 1, which both have two
 * channels; with one sub-group per key-group, unit and key-group are the same.
 */
class SubtaskMigrationTest {

    private static final StepMoves STEP =
            new StepMoves(1, new int[] {0}, new int[] {0}, new int[] {1}, 0);

    private final Log donorLog = new Log();
    private final Log receiverLog = new Log();
    private final SubtaskMigration<SimulatedElement> donor = subtask(0, donorLog, 2);
    private final SubtaskMigration<SimulatedElement> receiver = subtask(1, receiverLog, 2);

    // ---- donor ----

    @Test
    void donorProcessesRecordsOfUnitsThatItStillHolds() throws Exception {
        donor.startStep(STEP, 0);
        donor.onRecord(record(0, 0, 1));
        donor.onMarker(1, 0);
        donor.onRecord(record(1, 0, 2));

        assertThat(donorLog.taken()).containsExactly("process 1", "passed 0 -> 1", "process 2");
    }

    /** As of a key with an unstable hash code: its sender takes it to be of another unit. */
    @Test
    void aRecordOfAUnitThatLeavesStaysBehindTheMarkerIfThereIsNoState() throws Exception {
        donorLog.hasState = false;
        donor.startStep(
                new StepMoves(1, new int[] {0, 1}, new int[] {0, 0}, new int[] {1, 1}, 0), 0);
        donor.onMarker(1, 0);
        donor.onRecord(record(0, 0, 1));
        donor.onMarker(1, 1);
        donor.onRecord(record(0, 0, 2));
        donor.onRequest(1, 0);
        donor.onRecord(record(0, 0, 3));
        while (donor.processBacklog()) {
            // until it is empty
        }

        assertThat(donorLog.taken())
                .containsExactly(
                        "passed 0 -> 1",
                        "passed 1 -> 1",
                        "aligned -> 1",
                        "unit 0 -> 1",
                        "process 1",
                        "process 2",
                        "process 3");
    }

    @Test
    void aRecordOfAUnitThatLeavesFailsBehindTheMarkerIfThereIsState() throws Exception {
        donor.startStep(STEP, 0);
        donor.onMarker(1, 0);
        assertThatThrownBy(() -> donor.onRecord(record(0, 0, 1)))
                .isInstanceOf(MigrationProtocolException.class)
                .hasMessageContaining("hashCode() of a key must be the same in all processes");
    }

    @Test
    void donorPushesItsUnitsWhenAllMarkersHaveCome() throws Exception {
        donor.startStep(STEP, 0);
        donor.onMarker(1, 0);
        assertThat(donor.canPush()).isFalse();
        donor.onMarker(1, 1);
        assertThat(donor.canPush()).isTrue();
        donor.push(1);

        assertThat(donorLog.taken())
                .containsExactly(
                        "passed 0 -> 1",
                        "passed 1 -> 1",
                        "aligned -> 1",
                        "unit 0 -> 1",
                        "completed 1");
    }

    /** As a receiver of the same step it may have to get data first. */
    @Test
    void unitsDoNotLeaveBeforeTheWatermarkOfTheirDonorHasRisen() throws Exception {
        donor.startStep(STEP, 10);
        donorLog.watermarkIsWaiting = true;
        donor.onOther(watermark(0, 10));
        donor.onMarker(1, 0);
        donor.onMarker(1, 1);
        while (donor.processBacklog()) {
            // until it is empty
        }
        donor.proceed();
        assertThat(donor.canPush()).isFalse();

        donorLog.watermarkIsWaiting = false;
        donor.proceed();
        assertThat(donor.canPush()).isTrue();
    }

    @Test
    void donorPushesToOthersWhileAReceiverMayGetNothing() throws Exception {
        donor.startStep(
                new StepMoves(1, new int[] {0, 1, 2}, new int[] {0, 0, 0}, new int[] {1, 2, 1}, 0),
                0);
        donor.onRecord(record(0, 2, 1));
        donor.onRecord(record(0, 1, 2));
        donor.onRecord(record(0, 0, 3));
        donor.onMarker(1, 0);
        donor.onMarker(1, 1);
        donorLog.taken();

        assertThat(donor.nextPushReceiver(receiver -> true)).isEqualTo(1);
        assertThat(donor.nextPushReceiver(receiver -> receiver != 1)).isEqualTo(2);
        donor.push(2);
        assertThat(donor.nextPushReceiver(receiver -> receiver != 1)).isEqualTo(-1);
        assertThat(donor.nextPushReceiver(receiver -> true)).isEqualTo(1);
        donor.push(1);
        donor.push(1);
        assertThat(donorLog.taken())
                .containsExactly("unit 1 -> 2", "unit 0 -> 1", "unit 2 -> 1", "completed 1");
    }

    @Test
    void inSequentialOrderADonorPushesByNumberWhenItHasProcessedAllBeforeTheMarkers()
            throws Exception {
        SubtaskMigration<SimulatedElement> sequential =
                subtask(0, donorLog, 2, new BitSet(), false, MigrationOrder.SEQUENTIAL);
        sequential.startStep(
                new StepMoves(1, new int[] {1, 0, 2}, new int[] {0, 0, 0}, new int[] {1, 2, 1}, 0),
                0);
        sequential.onRecord(record(0, 2, 1));
        sequential.onRecord(record(0, 5, 2));
        sequential.onMarker(1, 0);
        sequential.onMarker(1, 1);
        assertThat(sequential.canPush()).isFalse();
        while (sequential.processBacklog()) {
            // until it is empty
        }
        while (sequential.canPush()) {
            sequential.push(sequential.nextPushReceiver(receiver -> true));
        }

        assertThat(donorLog.taken())
                .filteredOn(line -> !line.startsWith("passed") && !line.startsWith("aligned"))
                .containsExactly(
                        "process 1",
                        "process 2",
                        "unit 0 -> 2",
                        "unit 1 -> 1",
                        "unit 2 -> 1",
                        "completed 1");
    }

    @Test
    void whatADonorWorksOffBeforeItsUnitsMayLeaveIsCounted() throws Exception {
        SubtaskMigration<SimulatedElement> sequential =
                subtask(0, donorLog, 2, new BitSet(), false, MigrationOrder.SEQUENTIAL);
        sequential.processBacklog();
        sequential.startStep(STEP, 0);
        sequential.processBacklog();
        assertThat(sequential.workedOff()).as("nothing").isZero();
        sequential.onRecord(record(0, 2, 1));
        sequential.onRecord(record(0, 5, 2));
        sequential.onMarker(1, 0);
        sequential.onMarker(1, 1);
        while (sequential.processBacklog()) {
            // until it is empty
        }
        assertThat(sequential.workedOff()).as("but the last, with which it ends").isEqualTo(1);
        sequential.onRecord(record(0, 2, 3));
        sequential.processBacklog();
        assertThat(sequential.workedOff()).as("units may leave").isEqualTo(1);
    }

    @Test
    void whatAReceiverProcessesBehindTheMarkersIsNotCounted() throws Exception {
        receiver.startStep(STEP, 0);
        receiver.onRecord(record(0, 5, 1));
        receiver.processBacklog();
        long aligning = receiver.workedOff();
        assertThat(aligning).isPositive();
        receiver.onMarker(1, 0);
        receiver.onMarker(1, 1);
        receiver.onRecord(record(0, 5, 2));
        receiver.processBacklog();
        assertThat(receiver.workedOff()).isEqualTo(aligning);
    }

    @Test
    void inSequentialOrderAReceiverParksARecordWithoutAskingForItsUnit() throws Exception {
        SubtaskMigration<SimulatedElement> sequential =
                subtask(1, receiverLog, 2, new BitSet(), false, MigrationOrder.SEQUENTIAL);
        sequential.startStep(STEP, 0);
        sequential.onRecord(record(0, 0, 1));
        sequential.onRecord(record(0, 5, 2));
        sequential.processBacklog();
        sequential.onAligned(0);
        sequential.onUnitInstalled(0, 0);
        while (sequential.processBacklog()) {
            // until it is empty
        }

        assertThat(receiverLog.taken()).containsExactly("process 2", "process 1");
    }

    @Test
    void donorGivesAUnitOnDemandAndForwardsLaterRecordsOfIt() throws Exception {
        donor.startStep(STEP, 0);
        donor.onRequest(1, 0);
        donor.onRecord(record(0, 0, 1));
        donor.onMarker(1, 0);
        donor.onRecord(record(1, 0, 2));
        donor.onMarker(1, 1);

        assertThat(donorLog.taken())
                .containsExactly(
                        "unit 0 -> 1",
                        "forward 1 -> 1",
                        "passed 0 -> 1",
                        "forward 2 -> 1",
                        "passed 1 -> 1",
                        "aligned -> 1",
                        "completed 1");
    }

    @Test
    void donorReadsAheadWhileItAligns() throws Exception {
        donor.startStep(STEP, 0);
        assertThat(donor.readsAhead()).isTrue();
        donor.onRecord(record(0, 5, 1));
        donor.onOther(watermark(0, 10));
        donor.onRecord(record(0, 0, 2));
        assertThat(donorLog.taken()).containsExactly("unit 0 -> 1", "forward 2 -> 1");

        donor.onMarker(1, 0);
        donor.onMarker(1, 1);
        assertThat(donor.readsAhead()).isFalse();
        while (donor.processBacklog()) {
            // until it is empty
        }
        assertThat(donorLog.taken())
                .containsExactly(
                        "passed 0 -> 1",
                        "passed 1 -> 1",
                        "aligned -> 1",
                        "completed 1",
                        "process 1",
                        "watermark 10");
    }

    @Test
    void donorReadsAheadForAsLongAsMailsHadTheThread() throws Exception {
        int[] read = {0};
        SubtaskMigration.Source source =
                () -> {
                    donorLog.nanoTime += 10;
                    donor.onRecord(record(0, 5, ++read[0]));
                    return SubtaskMigration.Read.ELEMENT;
                };
        donor.startStep(STEP, 0);
        donor.turn(source);
        assertThat(read[0]).isEqualTo(4);

        donorLog.nanoTime += 100;
        donor.turn(source);
        assertThat(read[0]).as("4 at a time, until 100 ns have passed").isEqualTo(4 + 12);
        donor.turn(source);
        assertThat(read[0]).isEqualTo(4 + 12 + 4);
    }

    @Test
    void donorThatLagsBehindTheReceiversGivesNothingBeforeItHasCaughtUp() throws Exception {
        donor.startStep(STEP, 100);
        donor.onRequest(1, 0);
        donor.onRecord(record(0, 0, 1));
        assertThat(donor.readsAhead()).isFalse();
        assertThat(donorLog.taken()).containsExactly("process 1");

        donor.onWatermark(100);
        assertThat(donorLog.taken()).containsExactly("unit 0 -> 1");
        assertThat(donor.readsAhead()).isTrue();
    }

    /** Records that came before such a watermark may wait at the receiver for a timer's unit. */
    @Test
    void donorHoldsBackWatermarksThatFollowAMarkerUntilItsUnitsHaveLeft() throws Exception {
        donor.startStep(STEP, 100);
        donor.onOther(watermark(0, 10));
        donor.onMarker(1, 0);
        donor.onOther(watermark(0, 20));
        donor.onOther(watermark(1, 15));
        donor.onRecord(record(0, 5, 1));
        donor.onMarker(1, 1);
        donor.onOther(watermark(1, 25));
        assertThat(donorLog.taken())
                .containsExactly(
                        "watermark 10",
                        "passed 0 -> 1",
                        "watermark 15",
                        "process 1",
                        "passed 1 -> 1",
                        "aligned -> 1");

        donor.push(1);
        donor.processBacklog();
        donor.processBacklog();
        assertThat(donorLog.taken())
                .containsExactly("unit 0 -> 1", "completed 1", "watermark 20", "watermark 25");
    }

    @Test
    void endOfAChannelStandsForItsMarker() throws Exception {
        donor.startStep(STEP, 0);
        donor.onChannelEnded(0);
        donor.onMarker(1, 1);

        assertThat(donorLog.taken())
                .containsExactly("passed 0 -> 1", "passed 1 -> 1", "aligned -> 1");
    }

    @Test
    void stepAfterTheEndOfAllChannelsNeedsNoMarker() throws Exception {
        donor.onChannelEnded(0);
        donor.onChannelEnded(1);
        donor.startStep(STEP, 0);

        assertThat(donorLog.taken()).containsExactly("aligned -> 1");
        assertThat(donor.canPush()).isTrue();
    }

    @Test
    void repeatedAndOutdatedRequestsDoNothing() throws Exception {
        donor.onRequest(1, 0);
        donor.startStep(STEP, 0);
        donor.onRequest(1, 0);
        donor.onRequest(1, 0);
        donor.onRequest(1, 5);

        assertThat(donorLog.taken()).containsExactly("unit 0 -> 1");
    }

    // ---- receiver ----

    @Test
    void receiverParksARecordUntilItsUnitIsInstalledAndItsChannelPassed() throws Exception {
        receiver.startStep(STEP, 0);
        receiver.onRecord(record(0, 0, 1));
        receiver.onRecord(record(0, 5, 2));
        receiver.processBacklog();
        assertThat(receiverLog.taken()).containsExactly("request 0 -> 0", "process 2");

        receiver.onUnitInstalled(0, 0);
        assertThat(receiver.hasBacklog()).isFalse();
        receiver.onPassed(0, 0);
        receiver.processBacklog();
        assertThat(receiverLog.taken()).containsExactly("process 1");
    }

    @Test
    void receiverProcessesForwardedRecordsBeforeItsOwn() throws Exception {
        receiver.startStep(STEP, 0);
        receiver.onRecord(record(0, 0, 2));
        receiver.onForwarded(0, 0, record(0, 0, 1));
        receiver.onPassed(0, 0);
        receiver.onUnitInstalled(0, 0);
        receiver.processBacklog();
        receiver.processBacklog();

        assertThat(receiverLog.taken()).containsExactly("request 0 -> 0", "process 1", "process 2");
    }

    @Test
    void receiverDoesNotLetOneChannelWaitForAnother() throws Exception {
        receiver.startStep(STEP, 0);
        receiver.onPassed(0, 0);
        receiver.onUnitInstalled(0, 0);
        receiver.onRecord(record(0, 0, 1));
        receiver.onRecord(record(1, 0, 2));
        assertThat(receiverLog.taken()).containsExactly("process 1");

        receiver.onAligned(0);
        receiver.processBacklog();
        assertThat(receiverLog.taken()).containsExactly("process 2");
    }

    @Test
    void receiverCompletesWhenTheDonorIsAlignedAndTheUnitsAreHere() throws Exception {
        receiver.startStep(STEP, 0);
        receiver.onMarker(1, 0);
        receiver.onMarker(1, 1);
        receiver.onUnitInstalled(0, 0);
        assertThat(receiverLog.taken()).isEmpty();
        receiver.onAligned(0);

        assertThat(receiverLog.taken()).containsExactly("completed 1");
        assertThat(receiver.isStepRunning()).isFalse();
    }

    /** What follows in the backlog, such as a watermark that was held back, comes after it. */
    @Test
    void receiverCompletesAlthoughWhatWasParkedIsStillToBeProcessed() throws Exception {
        receiver.startStep(STEP, 0);
        receiver.onMarker(1, 0);
        receiver.onRecord(record(0, 0, 1));
        receiver.onMarker(1, 1);
        receiver.onAligned(0);
        receiver.onUnitInstalled(0, 0);
        assertThat(receiverLog.taken()).containsExactly("request 0 -> 0", "completed 1");

        receiver.onRecord(record(0, 0, 2));
        receiver.processBacklog();
        receiver.processBacklog();
        assertThat(receiverLog.taken()).containsExactly("process 1", "process 2");
    }

    // ---- broadcast inputs: channel 1 is one ----

    @Test
    void donorGivesNothingBeforeTheMarkersOfItsBroadcastChannels() throws Exception {
        SubtaskMigration<SimulatedElement> giving = withBroadcast(0, donorLog, false);
        giving.startStep(STEP, 0);
        giving.onRequest(1, 0);
        giving.onBroadcast(broadcast(1));
        assertThat(donorLog.taken()).containsExactly("broadcast record 1 at 0");

        giving.onMarker(1, 1);
        assertThat(donorLog.taken()).containsExactly("passed 1 -> 1", "unit 0 -> 1");
    }

    /** The receiver has a record of the passed channel, too, which must come after these. */
    @Test
    void donorReadsAheadToTheMarkersOfItsBroadcastChannels() throws Exception {
        SubtaskMigration<SimulatedElement> giving = withBroadcast(0, donorLog, false);
        giving.startStep(STEP, 0);
        assertThat(giving.readsAhead()).isTrue();
        giving.onRecord(record(0, 5, 1));
        giving.onRecord(record(0, 0, 2));
        giving.onRecord(record(0, 0, 3));
        giving.onMarker(1, 0);
        giving.onBroadcast(broadcast(4));
        giving.onMarker(1, 1);
        assertThat(donorLog.taken())
                .containsExactly(
                        "passed 0 -> 1",
                        "broadcast record 4 at 0",
                        "passed 1 -> 1",
                        "forward 2 -> 1",
                        "forward 3 -> 1",
                        "unit 0 -> 1",
                        "aligned -> 1",
                        "completed 1");
    }

    @Test
    void donorHoldsBackBroadcastRecordsBehindTheMarkerUntilItsUnitsHaveLeft() throws Exception {
        SubtaskMigration<SimulatedElement> giving = withBroadcast(0, donorLog, false);
        giving.startStep(STEP, 0);
        giving.onMarker(1, 1);
        giving.onBroadcast(broadcast(1));
        giving.onOther(watermark(1, 20));
        assertThat(donorLog.taken()).containsExactly("passed 1 -> 1");

        giving.onRequest(1, 0);
        giving.onBroadcast(broadcast(2));
        while (giving.processBacklog()) {
            // until it is empty
        }
        giving.onBroadcast(broadcast(3));
        assertThat(donorLog.taken())
                .containsExactly(
                        "unit 0 -> 1",
                        "broadcast record 1 at 0",
                        "watermark 20",
                        "broadcast record 2 at 0",
                        "broadcast record 3 at 0");
    }

    @Test
    void receiverInstallsNothingBeforeTheMarkersOfItsBroadcastChannels() throws Exception {
        SubtaskMigration<SimulatedElement> taking = withBroadcast(1, receiverLog, false);
        taking.startStep(STEP, 0);
        assertThat(taking.mayInstall()).isFalse();
        assertThatThrownBy(() -> taking.onUnitInstalled(0, 0)).hasMessageContaining("too early");
        taking.onBroadcast(broadcast(1));
        taking.onMarker(1, 1);
        assertThat(taking.mayInstall()).isTrue();
        taking.onBroadcast(broadcast(2));
        assertThat(receiverLog.taken()).containsExactly("broadcast record 1 at 0");

        taking.onUnitInstalled(0, 0);
        taking.processBacklog();
        assertThat(receiverLog.taken()).containsExactly("broadcast record 2 at 0");
    }

    @Test
    void whatWasHeldBackInOneStepComesBeforeTheCutOfTheNext() throws Exception {
        SubtaskMigration<SimulatedElement> taking = withBroadcast(1, receiverLog, false);
        taking.startStep(STEP, 0);
        taking.onMarker(1, 1);
        taking.onBroadcast(broadcast(1));
        taking.onMarker(1, 0);
        taking.onAligned(0);
        taking.onUnitInstalled(0, 0);
        assertThat(receiverLog.taken()).containsExactly("completed 1");

        taking.startStep(new StepMoves(2, new int[] {1}, new int[] {0}, new int[] {1}, 0), 0);
        taking.onMarker(2, 1);
        assertThat(taking.mayInstall()).isFalse();
        taking.processBacklog();
        assertThat(taking.mayInstall()).isTrue();
        assertThat(receiverLog.taken()).containsExactly("broadcast record 1 at 0");
    }

    @Test
    void broadcastStateIsHandedOverAsOfTheMarkers() throws Exception {
        BitSet takers = new BitSet();
        takers.set(1);
        StepMoves handover = StepMoves.handover(1, 0, takers);
        SubtaskMigration<SimulatedElement> giving = withBroadcast(0, donorLog, false);
        SubtaskMigration<SimulatedElement> taking = withBroadcast(1, receiverLog, true);
        taking.onBroadcast(broadcast(1));
        taking.onOther(watermark(1, 20));
        giving.startStep(handover, 0);
        taking.startStep(handover, 0);
        giving.onBroadcast(broadcast(1));
        giving.onMarker(1, 1);
        giving.onBroadcast(broadcast(2));
        taking.onMarker(1, 1);
        taking.onBroadcast(broadcast(2));
        assertThat(donorLog.taken())
                .containsExactly(
                        "broadcast record 1 at 0",
                        "broadcast state -> {1}",
                        "broadcast record 2 at 0");
        assertThat(receiverLog.taken()).containsExactly("watermark 20");

        assertThatThrownBy(() -> taking.checkBroadcastState(1)).hasMessageContaining("not awaited");
        taking.checkBroadcastState(0);
        taking.onBroadcastState(0);
        taking.processBacklog();
        giving.onMarker(1, 0);
        taking.onMarker(1, 0);
        assertThat(donorLog.taken()).containsExactly("completed 1");
        assertThat(receiverLog.taken()).containsExactly("broadcast record 2 at 0", "completed 1");
        assertThatThrownBy(() -> taking.checkBroadcastState(0)).hasMessageContaining("not awaited");
        assertThatThrownBy(() -> taking.onBroadcastState(0)).hasMessageContaining("not awaited");
    }

    private static SubtaskMigration<SimulatedElement> withBroadcast(
            int index, Log log, boolean isNew) {
        BitSet broadcast = new BitSet();
        broadcast.set(1);
        return subtask(index, log, 2, broadcast, isNew);
    }

    private static SimulatedElement broadcast(int sequence) {
        return SimulatedElement.broadcast(1, sequence, 0);
    }

    // ---- the life of a rescale ----

    @Test
    void backlogOutlivesTheRescaleAndIsAdoptedByTheNext() throws Exception {
        donor.startStep(STEP, 0);
        donor.onRecord(record(0, 5, 1));
        donor.onMarker(1, 0);
        donor.onMarker(1, 1);
        donor.push(1);
        donor.end();
        assertThat(donor.isOver()).isFalse();

        Log log = new Log();
        SubtaskMigration<SimulatedElement> next = subtask(0, log, 2);
        next.adopt(donor);
        assertThat(donor.isOver()).isTrue();
        next.onRecord(record(0, 5, 2));
        next.processBacklog();
        next.processBacklog();
        assertThat(log.taken()).containsExactly("process 1", "process 2");
    }

    /** All has been read, but not all processed: the watermark comes with the backlog. */
    @Test
    void donorThatLagsBehindGivesNothingBeforeItsBacklogIsProcessed() throws Exception {
        donor.startStep(STEP, 0);
        donor.onRecord(record(0, 1, 1));
        donor.onOther(watermark(0, 200));
        donor.onRecord(record(0, 1, 2));
        donor.onChannelEnded(0);
        donor.onChannelEnded(1);
        donor.push(1);
        donor.end();

        Log log = new Log();
        SubtaskMigration<SimulatedElement> next = subtask(0, log, 0);
        next.adopt(donor);
        next.startStep(new StepMoves(2, new int[] {1}, new int[] {0}, new int[] {2}, 0), 200);
        assertThat(log.taken()).containsExactly("aligned -> 2");
        assertThat(next.canPush()).isFalse();
        next.processBacklog();
        next.processBacklog();
        next.onWatermark(200);
        next.onRequest(2, 1);
        assertThat(log.taken()).containsExactly("process 1", "watermark 200");

        next.processBacklog();
        assertThat(log.taken()).containsExactly("process 2", "unit 1 -> 2", "completed 2");
    }

    @Test
    void donorWithNothingLeftToReadPushesWhenItsBacklogIsProcessed() throws Exception {
        donor.startStep(STEP, 0);
        donor.onRecord(record(0, 1, 1));
        donor.onChannelEnded(0);
        donor.onChannelEnded(1);
        donor.push(1);
        donor.end();

        Log log = new Log();
        SubtaskMigration<SimulatedElement> next = subtask(0, log, 0);
        next.adopt(donor);
        next.startStep(new StepMoves(2, new int[] {1}, new int[] {0}, new int[] {2}, 0), 200);
        assertThat(next.canPush()).isFalse();
        next.processBacklog();
        assertThat(next.canPush()).isTrue();
        next.push(2);
        assertThat(log.taken())
                .containsExactly("aligned -> 2", "process 1", "unit 1 -> 2", "completed 2");
    }

    @Test
    void markersOfOtherStepsAreIgnored() throws Exception {
        donor.onMarker(1, 0);
        donor.startStep(STEP, 0);
        donor.onMarker(2, 0);

        assertThat(donorLog.taken()).isEmpty();
    }

    @Test
    void aReceiverTellsHowLongRecordsWaited() throws Exception {
        receiver.startStep(STEP, 0);
        receiverLog.nanoTime = 1_000;
        receiver.onRecord(record(0, 0, 1));
        receiverLog.nanoTime = 1_300;
        receiver.onRecord(record(1, 0, 2));
        receiver.onRecord(record(1, 5, 3));
        receiver.onForwarded(0, 0, record(0, 0, 0));
        receiver.onMarker(1, 0);
        receiver.onMarker(1, 1);
        receiverLog.nanoTime = 1_500;
        receiver.onUnitInstalled(0, 0);
        receiverLog.nanoTime = 1_700;
        receiver.onPassed(0, 0);
        receiverLog.nanoTime = 2_100;
        receiver.onAligned(0);

        assertThat(receiverLog.taken()).endsWith("completed 1");
        assertThat(receiverLog.waits)
                .usingRecursiveComparison()
                .isEqualTo(new RecordWaits(3, 200 + 700 + 800, 800));
    }

    @Test
    void whatMustNotHappenIsAnError() throws Exception {
        assertThatThrownBy(() -> receiver.onUnitInstalled(0, 0)).hasMessageContaining("awaited");
        receiver.startStep(STEP, 0);
        receiver.onUnitInstalled(0, 0);
        receiver.onAligned(0);
        donor.startStep(STEP, 0);
        donor.onMarker(1, 0);

        assertThatThrownBy(() -> receiver.onUnitInstalled(0, 0)).hasMessageContaining("awaited");
        assertThatThrownBy(() -> receiver.onPassed(0, 0)).hasMessageContaining("not an aligning");
        assertThatThrownBy(() -> donor.onMarker(1, 0)).hasMessageContaining("twice");
        assertThatThrownBy(() -> donor.startStep(STEP, 0)).hasMessageContaining("another one runs");
        assertThatThrownBy(donor::end).hasMessageContaining("while a step runs");
        assertThatThrownBy(() -> donor.push(1)).hasMessageContaining("nothing to push");
        assertThatThrownBy(() -> donor.onForwarded(1, 0, record(0, 0, 1)))
                .isInstanceOf(MigrationProtocolException.class);
    }

    // ---- a single upstream subtask ----

    @Test
    void withASingleUpstreamADonorGivesWhatItHasAtTheMarker() throws Exception {
        SubtaskMigration<SimulatedElement> single = single(0, donorLog);
        single.startStep(STEP, 0);
        single.onRequest(1, 0);
        single.onRecord(record(0, 0, 1));
        single.onOther(watermark(0, 10));
        assertThat(donorLog.taken()).containsExactly("process 1", "watermark 10");

        single.onMarker(1, 0);
        assertThat(donorLog.taken())
                .containsExactly("passed 0 -> 1", "unit 0 -> 1", "aligned -> 1", "completed 1");
    }

    @Test
    void withASingleUpstreamNothingOvertakesAWatermark() throws Exception {
        SubtaskMigration<SimulatedElement> single = single(1, receiverLog);
        single.startStep(STEP, 0);
        assertThat(single.mayInstall()).isFalse();
        single.onOther(watermark(0, 10));
        single.onMarker(1, 0);
        assertThat(single.mayInstall()).isTrue();
        single.onRecord(record(0, 5, 1));
        single.onRecord(record(0, 0, 2));
        single.onOther(watermark(0, 20));
        single.onRecord(record(0, 5, 3));
        single.onRecord(record(0, 0, 4));
        assertThat(receiverLog.taken())
                .containsExactly("watermark 10", "process 1", "request 0 -> 0");

        single.onUnitInstalled(0, 0);
        while (single.processBacklog()) {
            // until nothing waits
        }
        assertThat(receiverLog.taken())
                .containsExactly("process 2", "watermark 20", "process 3", "process 4");
    }

    // ------------------------------------------------------------------------

    private static SubtaskMigration<SimulatedElement> subtask(int index, Log log, int channels) {
        return subtask(index, log, channels, new BitSet(), false);
    }

    private static SubtaskMigration<SimulatedElement> subtask(
            int index, Log log, int channels, BitSet broadcast, boolean isNew) {
        return subtask(index, log, channels, broadcast, isNew, MigrationOrder.DEMAND);
    }

    private static SubtaskMigration<SimulatedElement> subtask(
            int index,
            Log log,
            int channels,
            BitSet broadcast,
            boolean isNew,
            MigrationOrder order) {
        BitSet open = new BitSet();
        open.set(0, channels);
        return subtask(
                index, log, order, new MigrationStart(true, open, broadcast, isNew, 0, false));
    }

    /** All elements come on one channel. */
    private static SubtaskMigration<SimulatedElement> single(int index, Log log) {
        BitSet open = new BitSet();
        open.set(0);
        return subtask(
                index,
                log,
                MigrationOrder.DEMAND,
                new MigrationStart(true, open, new BitSet(), false, 0, true));
    }

    private static SubtaskMigration<SimulatedElement> subtask(
            int index, Log log, MigrationOrder order, MigrationStart start) {
        return new SubtaskMigration<>(
                new MigrationSettings(
                        index,
                        8,
                        1,
                        order,
                        new FlowControl(0, 0, 1, 1),
                        new MigrationSettings.Pace(
                                100,
                                0,
                                1_000,
                                new MigrationSettings.Turn(4, 1),
                                new MigrationSettings.Turn(4, 4)),
                        ReadAheadMemory.unlimited().share()),
                start,
                log,
                log,
                new Waiting<>(log::nanoTime, nanos -> {}));
    }

    /** A record is known by its sequence number here. */
    private static SimulatedElement record(int channel, int unit, int sequence) {
        return SimulatedElement.record(channel, unit, unit, sequence, 0);
    }

    private static SimulatedElement watermark(int channel, long time) {
        return SimulatedElement.watermark(channel, time);
    }

    /** Notes what the protocol asks for. */
    private static final class Log
            implements MigrationPort<SimulatedElement>, SubtaskMigration.Output<SimulatedElement> {
        private final List<String> lines = new ArrayList<>();
        private RecordWaits waits;
        private long nanoTime;
        private boolean watermarkIsWaiting;
        private boolean hasState = true;

        /** What has been noted since the last call. */
        List<String> taken() {
            List<String> taken = new ArrayList<>(lines);
            lines.clear();
            return taken;
        }

        @Override
        public boolean hasState() {
            return hasState;
        }

        @Override
        public boolean isWatermarkWaiting() {
            return watermarkIsWaiting;
        }

        @Override
        public long nanoTime() {
            return nanoTime;
        }

        @Override
        public void process(SimulatedElement element) {
            lines.add(element.isRecord() ? "process " + element.sequence() : element.toString());
        }

        @Override
        public long sendUnit(int receiver, int unit, boolean onDemand) {
            lines.add("unit " + unit + " -> " + receiver);
            return 1;
        }

        @Override
        public void forward(int receiver, int unit, SimulatedElement record) {
            lines.add("forward " + record.sequence() + " -> " + receiver);
        }

        @Override
        public void forwardAhead(int receiver, int unit, SimulatedElement record) {
            lines.add("forward " + record.sequence() + " -> " + receiver);
        }

        @Override
        public void sendPassed(int receiver, int channel) {
            lines.add("passed " + channel + " -> " + receiver);
        }

        @Override
        public void sendAligned(int receiver) {
            lines.add("aligned -> " + receiver);
        }

        @Override
        public void sendRequest(int donor, int unit) {
            lines.add("request " + unit + " -> " + donor);
        }

        @Override
        public void sendBroadcastState(BitSet receivers) {
            lines.add("broadcast state -> " + receivers);
        }

        @Override
        public void stepCompleted(long step, StepStatistics statistics) {
            lines.add("completed " + step);
            waits = statistics.waits;
        }
    }
}
