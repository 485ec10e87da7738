// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import io.meces.core.exchange.TransitionAddress;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Makes {@link TaskReport}s of what a subtask tells of its migration. Owned by the task thread. */
public final class MigrationReporter implements MigrationReports {
    private final Supplier<TransitionAddress> address;
    private final Consumer<TaskReport> reports;

    /**
     * @param address where peers reach the subtask; asked when it has begun
     * @param reports takes what goes to the JobManager
     */
    public MigrationReporter(Supplier<TransitionAddress> address, Consumer<TaskReport> reports) {
        this.address = address;
        this.reports = reports;
    }

    @Override
    public void begun(UUID rescale, EventTime time) {
        reports.accept(new TaskReport.Begun(rescale, address.get(), time));
    }

    @Override
    public void stepStarted(UUID rescale, long step) {
        reports.accept(new TaskReport.StepStarted(rescale, step));
    }

    @Override
    public void watermarkRisen(UUID rescale, EventTime time) {
        reports.accept(new TaskReport.WatermarkRisen(rescale, time));
    }

    @Override
    public void firstRecord(UUID rescale) {
        reports.accept(new TaskReport.FirstRecord(rescale));
    }

    @Override
    public void stepCompleted(
            UUID rescale,
            long step,
            EventTime time,
            StepStatistics statistics,
            boolean dataToCome,
            int orderEvents,
            long longestStopNanos) {
        reports.accept(
                new TaskReport.StepCompleted(
                        rescale,
                        step,
                        time,
                        statistics,
                        dataToCome,
                        orderEvents,
                        longestStopNanos));
    }

    @Override
    public void stepProceeds(UUID rescale, long step) {
        reports.accept(new TaskReport.StepProceeds(rescale, step));
    }

    @Override
    public void dataCompleted(UUID rescale, long step, EventTime time, DataStatistics statistics) {
        reports.accept(new TaskReport.DataCompleted(rescale, step, time, statistics));
    }

    @Override
    public void inputEnded(UUID rescale) {
        reports.accept(new TaskReport.InputEnded(rescale));
    }

    @Override
    public void checkpointConfirmed(UUID rescale, long checkpoint) {
        reports.accept(new TaskReport.CheckpointConfirmed(rescale, checkpoint));
    }
}
