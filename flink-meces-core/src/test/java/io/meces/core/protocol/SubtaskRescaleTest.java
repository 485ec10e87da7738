// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.MigrationReports;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.UnitState;
import io.meces.core.waiting.ReadAheadMemory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the driver of a subtask does from one rescale to the next. Subtask 1, with two channels,
 * takes a key-group from subtask 0 in each of two rescales; with one sub-group per key-group, unit
 * and key-group are the same.
 */
class SubtaskRescaleTest {

    private static final UUID FIRST = new UUID(0, 1);
    private static final UUID SECOND = new UUID(0, 2);
    private static final int ELSEWHERE = 5;

    private final List<String> log = new ArrayList<>();
    private final Inputs inputs = new Inputs();
    private SubtaskRescale<Element> driver;

    @BeforeEach
    void createDriver() {
        driver =
                new SubtaskRescale<>(
                        new MigrationSettings(
                                1,
                                8,
                                1,
                                MigrationOrder.DEMAND,
                                new FlowControl(0, 0, 1, 1),
                                MigrationSettings.Pace.OF_TASKS,
                                ReadAheadMemory.unlimited().share()),
                        new Environment(),
                        false);
    }

    @Test
    void theEndOfARescaleLetsTheWatermarkRiseBehindWhatWaits() throws Exception {
        rescaleInWhich(FIRST, 1, 1);
        assertThat(log).containsExactly("close");

        processBacklog();
        assertThat(log).containsExactly("close", "process 1", "raise");
    }

    @Test
    void theEndOfARescaleDoesNotLiftTheCapOfTheNextOne() throws Exception {
        rescaleInWhich(FIRST, 1, 1);
        driver.begin(SECOND, true, false);
        processBacklog();
        assertThat(log).containsExactly("close", "close", "process 1");

        startStep(SECOND, 2);
        completeStep(2);
        driver.end(SECOND);
        assertThat(log).containsExactly("close", "close", "process 1", "raise");
    }

    @Test
    void theEndOfARescaleIsVoidOnceTheNextOneIsOverToo() throws Exception {
        rescaleInWhich(FIRST, 1, 1);
        rescaleInWhich(SECOND, 2, 2);
        processBacklog();
        assertThat(log).containsExactly("close", "close", "process 1", "process 2", "raise");
    }

    /** Leaves the record and the end of the rescale in the backlog. */
    private void rescaleInWhich(UUID id, int step, int record) throws Exception {
        driver.begin(id, true, false);
        startStep(id, step);
        inputs.migration.onRecord(new Element(0, ELSEWHERE, () -> log.add("process " + record)));
        completeStep(step);
        driver.end(id);
    }

    private void startStep(UUID id, int step) throws Exception {
        int unit = step - 1;
        driver.startStep(
                id,
                new StepMoves(step, new int[] {unit}, new int[] {0}, new int[] {1}, 0),
                Collections.singletonMap(0, "donor"),
                0);
    }

    private void completeStep(int step) throws Exception {
        inputs.migration.onMarker(step, 0);
        inputs.migration.onMarker(step, 1);
        inputs.migration.onUnitInstalled(0, step - 1);
        inputs.migration.onAligned(0);
    }

    private void processBacklog() throws Exception {
        while (inputs.migration.processBacklog()) {
            // until it is empty
        }
    }

    /** Does something when it is processed. */
    private static final class Element implements MigratingElement {
        private final int channel;
        private final int unit;
        private final TaskThread.Mail action;

        Element(int channel, int unit, TaskThread.Mail action) {
            this.channel = channel;
            this.unit = unit;
            this.action = action;
        }

        @Override
        public int channel() {
            return channel;
        }

        @Override
        public int unit() {
            return unit;
        }

        @Override
        public boolean isForAllKeys() {
            return false;
        }
    }

    /** Writes down what happens to elements and the watermark. */
    private final class Inputs implements MigrationInputs<Element> {

        private SubtaskMigration<Element> migration;

        @Override
        public BitSet openChannels() {
            BitSet open = new BitSet();
            open.set(0, 2);
            return open;
        }

        @Override
        public BitSet broadcastChannels() {
            return new BitSet();
        }

        @Override
        public long watermark() {
            return 0;
        }

        @Override
        public long uncappedWatermark() {
            return 0;
        }

        @Override
        public void closeWatermark() {
            log.add("close");
        }

        @Override
        public void raiseWatermark(long watermark) {
            if (watermark == Long.MAX_VALUE) {
                log.add("raise");
            }
        }

        @Override
        public Element action(TaskThread.Mail action) {
            return new Element(-1, -1, action);
        }

        @Override
        public void process(Element element) throws Exception {
            element.action.run();
        }

        @Override
        public byte[] serialize(Element record) {
            throw new AssertionError("nothing is forwarded");
        }

        @Override
        public int inputOf(Element record) {
            return 0;
        }

        @Override
        public Element deserialize(byte[] record, int input, int channel, int unit) {
            throw new AssertionError("nothing is forwarded");
        }

        @Override
        public void attach(SubtaskMigration<Element> next) {
            if (next != null) {
                migration = next;
            }
        }

        @Override
        public void readOn() {}

        @Override
        public void holdEnd() {}

        @Override
        public void releaseEnd() {}
    }

    /** A task that gives nothing, and to which its peers say nothing by messages. */
    private final class Environment implements MigrationEnvironment<Element> {

        @Override
        public TaskThread thread() {
            return Indifferent.of(TaskThread.class);
        }

        @Override
        public MigrationInputs<Element> inputs() {
            return inputs;
        }

        @Override
        public MigrationReports reports() {
            return Indifferent.of(MigrationReports.class);
        }

        @Override
        public Handovers.Port consumers() {
            return Indifferent.of(Handovers.Port.class);
        }

        @Override
        public UnitState openState() {
            return Indifferent.of(UnitState.class);
        }

        @Override
        public ResultDrain openDrain() {
            return Indifferent.of(ResultDrain.class);
        }

        @Override
        public PeerLink link() {
            return Indifferent.of(
                    PeerLink.class,
                    Indifferent.of(ExchangeMetrics.class),
                    new InFlightBytes(1, bytes -> {}));
        }

        @Override
        public void endOperators(Runnable whenQuiet) {
            throw new AssertionError("the subtask stays");
        }
    }
}
