// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.command.ReadAheadUse;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepStatistics;
import io.meces.core.command.TaskReport;
import javax.annotation.Nullable;

/** What a rescale of a vertex has done so far. Owned by the JobMaster's main thread. */
public final class MigrationFigures {

    private int steps;
    private long units;
    private long unitsOnDemand;
    private long keysFetched;
    private long bytes;
    private long bytesBeforeStep;
    private long bytesOfStep;
    private ReadAheadUse readAhead = ReadAheadUse.NONE;
    private ReadAheadUse readAheadOfStep = ReadAheadUse.NONE;
    private long longestStopNanos;
    private RecordWaits waits = RecordWaits.NONE;
    private long orderEvents;
    @Nullable private Long firstRecordNanos;

    /** A subtask has completed a step. */
    public void add(TaskReport.StepCompleted report) {
        StepStatistics statistics = report.statistics;
        units += statistics.unitsSent;
        unitsOnDemand += statistics.unitsOnDemand;
        bytes += statistics.bytesSent;
        longestStopNanos = Math.max(longestStopNanos, report.longestStopNanos);
        waits = waits.plus(statistics.waits);
        readAhead = readAhead.max(statistics.readAhead);
        orderEvents += report.orderEvents;
    }

    /** A receiver has got all data of a step that came apart from the units. */
    public void add(TaskReport.DataCompleted report) {
        bytes += report.statistics.bytes;
        keysFetched += report.statistics.keysFetched;
        waits = waits.plus(report.statistics.waits);
    }

    /** All subtasks have completed a step. */
    public void onStepCompleted() {
        steps++;
        bytesOfStep = bytes - bytesBeforeStep;
        bytesBeforeStep = bytes;
        readAheadOfStep = steps == 1 ? readAhead : readAhead.since(readAheadOfStep);
        readAhead = ReadAheadUse.NONE;
    }

    /**
     * A record of a moved unit has been processed by its new owner.
     *
     * @return whether it is the first one
     */
    public boolean onRecord(long nowNanos) {
        if (firstRecordNanos != null) {
            return false;
        }
        firstRecordNanos = nowNanos;
        return true;
    }

    public int steps() {
        return steps;
    }

    public long units() {
        return units;
    }

    public long unitsOnDemand() {
        return unitsOnDemand;
    }

    /** Keys whose data was fetched because a record or a timer waited for it. */
    public long keysFetched() {
        return keysFetched;
    }

    public long bytes() {
        return bytes;
    }

    /** What has moved in the last step that was completed. */
    public long bytesOfStep() {
        return bytesOfStep;
    }

    /** What waited in the process where most did after the last step that was completed. */
    public ReadAheadUse readAheadOfStep() {
        return readAheadOfStep;
    }

    /** The longest that a single unit, leaving or coming, has kept a task. */
    public long longestStopNanos() {
        return longestStopNanos;
    }

    /** How long records have waited at new owners. */
    public RecordWaits waits() {
        return waits;
    }

    /** How many events kept results in order. */
    public long orderEvents() {
        return orderEvents;
    }

    /** When a record of a moved unit was first processed by its new owner; null: not yet. */
    @Nullable
    public Long firstRecordNanos() {
        return firstRecordNanos;
    }
}
