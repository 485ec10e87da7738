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

package io.meces.cli.rest;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** How a rescale stands: the answer to {@code GET /jobs/:jobid/rescales/:id}. */
public final class RescaleStatus {
    public String id;

    /**
     * DEPLOYING, CONNECTING, MIGRATING, RETIRING, ROLLING_BACK, RECOVERING, FINISHED, ABORTED or
     * FAILED.
     */
    public String state;

    /** What exactly it is doing, for those who look closely; null at the end. */
    @Nullable public String station;

    /** 1, and one more each time that it has gone on after a failure. */
    public int attempt = 1;

    public List<VertexChange> vertices = new ArrayList<>();
    public int stepsTotal;
    public int stepsCompleted;
    public long unitsTotal;
    public long unitsMigrated;

    /** How many of the migrated units a waiting record has asked for. */
    public long unitsOnDemand;

    /** Serialised size of the units that have moved. */
    public long bytes;

    /** The longest that a single unit, leaving or coming, has kept a task from its records. */
    public long longestStopMicros;

    /** How many records have waited at new owners for state, in steps that are over. */
    public long recordsWaited;

    /** All of them together. */
    public long totalWaitMicros;

    /** The one that waited for the longest. */
    public long longestWaitMicros;

    /** Events that were broadcast to consumers so that results stay in order. */
    public long orderEvents;

    /**
     * From the request until a new owner processed a record of a unit that it was given; null if
     * none has (yet).
     */
    @Nullable public Long firstRecordMs;

    /** In ms since the epoch. */
    public long startTime;

    public long durationMs;

    /** The longest time without a completed checkpoint; null if the job has none. */
    @Nullable public Long longestWithoutCheckpointMs;

    /** What has interrupted it the last time, such as a restart of the job; null if nothing has. */
    @Nullable public String interruption;

    /** Why it failed or was aborted; null if neither. */
    @Nullable public String failure;

    /** Whether it will not change any more. */
    public boolean ended() {
        return finished() || "FAILED".equals(state) || "ABORTED".equals(state);
    }

    /** Whether it has come to its end as it was meant to. */
    public boolean finished() {
        return "FINISHED".equals(state);
    }

    /** From which to which parallelism a vertex goes. */
    public static final class VertexChange {
        public String id;
        public String name;
        public int from;
        public int to;
    }
}
