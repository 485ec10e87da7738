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

package io.meces.core.migration;

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
