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

package io.meces.runtime.api;

import io.meces.runtime.migration.RecordWaits;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/** How one rescale stands at one moment. */
public final class RescaleStatus implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The stations of a rescale. */
    public enum State {
        /** New subtasks wait for slots and start. */
        DEPLOYING,
        /** New subtasks are connected with their upstreams and downstreams. */
        CONNECTING,
        /** Key-groups move, step by step. */
        MIGRATING,
        /** Subtasks without key-groups wait for a last checkpoint, are disconnected and end. */
        RETIRING,
        /** What has moved moves back, by request. */
        ROLLING_BACK,
        /** A failure has interrupted it; it goes on when the job runs again. */
        RECOVERING,
        FINISHED,
        /** It has ended early, by request. */
        ABORTED,
        FAILED;

        public boolean isTerminal() {
            return this == FINISHED || this == ABORTED || this == FAILED;
        }
    }

    public final String id;
    public final State state;

    /** The class of the state machine's state, for those who look closely; null at the end. */
    @Nullable public final String station;

    /** 1, and one more each time that it has gone on after a failure. */
    public final int attempt;

    public final List<VertexChange> vertices;
    public final int stepsTotal;
    public final int stepsCompleted;

    /** Units (key-group, sub-group) that this rescale has to move. */
    public final long unitsTotal;

    public final long unitsMigrated;

    /** How many of {@link #unitsMigrated} a waiting record has asked for. */
    public final long unitsOnDemand;

    /** Serialised size of the units that have moved. */
    public final long bytes;

    /** The longest that a single unit, leaving or coming, has kept a task from its records. */
    public final long longestStopMicros;

    /** How long records have waited at new owners, in steps that are over. */
    public final RecordWaits waits;

    /**
     * Events that were broadcast to consumers so that results stay in order, in steps that are
     * over; one goes to all consumers behind an output.
     */
    public final long orderEvents;

    /**
     * From the request until a new owner processed a record of a unit that it was given, in ms;
     * null if that has not happened yet.
     */
    @Nullable public final Long firstRecordMs;

    /** When it was asked for, in ms since the epoch. */
    public final long startTime;

    /** From the request to the end, or until now. */
    public final long durationMs;

    /**
     * The longest time without a completed checkpoint, from the last one before it began; null if
     * the job has no checkpoints.
     */
    @Nullable public final Long longestWithoutCheckpointMs;

    /**
     * What has interrupted it the last time, such as a restart of the job; null if nothing has. It
     * went on after that if {@link #attempt} says so.
     */
    @Nullable public final String interruption;

    /** Why it ended early; null unless {@link State#FAILED} or {@link State#ABORTED}. */
    @Nullable public final String failure;

    public RescaleStatus(
            String id,
            State state,
            @Nullable String station,
            int attempt,
            List<VertexChange> vertices,
            int stepsTotal,
            int stepsCompleted,
            long unitsTotal,
            long unitsMigrated,
            long unitsOnDemand,
            long bytes,
            long longestStopMicros,
            RecordWaits waits,
            long orderEvents,
            @Nullable Long firstRecordMs,
            long startTime,
            long durationMs,
            @Nullable Long longestWithoutCheckpointMs,
            @Nullable String interruption,
            @Nullable String failure) {
        this.id = id;
        this.state = state;
        this.station = station;
        this.attempt = attempt;
        this.vertices = Collections.unmodifiableList(new ArrayList<>(vertices));
        this.stepsTotal = stepsTotal;
        this.stepsCompleted = stepsCompleted;
        this.unitsTotal = unitsTotal;
        this.unitsMigrated = unitsMigrated;
        this.unitsOnDemand = unitsOnDemand;
        this.bytes = bytes;
        this.longestStopMicros = longestStopMicros;
        this.waits = waits;
        this.orderEvents = orderEvents;
        this.firstRecordMs = firstRecordMs;
        this.startTime = startTime;
        this.durationMs = durationMs;
        this.longestWithoutCheckpointMs = longestWithoutCheckpointMs;
        this.interruption = interruption;
        this.failure = failure;
    }

    /** From which to which parallelism a vertex goes. */
    public static final class VertexChange implements Serializable {
        private static final long serialVersionUID = 1L;

        public final String id;
        public final String name;
        public final int from;
        public final int to;

        public VertexChange(String id, String name, int from, int to) {
            this.id = id;
            this.name = name;
            this.from = from;
            this.to = to;
        }
    }
}
