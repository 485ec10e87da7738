// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;

/** What one subtask did in one step. */
public final class StepStatistics implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Units given away. */
    public final int unitsSent;

    /** How many of {@link #unitsSent} went because a record asked for them. */
    public final int unitsOnDemand;

    /** Serialised bytes of the units given away. */
    public final long bytesSent;

    /** Records that were sent after their unit. */
    public final long recordsForwarded;

    /** Records that waited here for their unit or for a channel of the donor. */
    public final RecordWaits waits;

    /** What waits in this process when the step is over here. */
    public final ReadAheadUse readAhead;

    public StepStatistics(
            int unitsSent,
            int unitsOnDemand,
            long bytesSent,
            long recordsForwarded,
            RecordWaits waits,
            ReadAheadUse readAhead) {
        this.unitsSent = unitsSent;
        this.unitsOnDemand = unitsOnDemand;
        this.bytesSent = bytesSent;
        this.recordsForwarded = recordsForwarded;
        this.waits = waits;
        this.readAhead = readAhead;
    }
}
