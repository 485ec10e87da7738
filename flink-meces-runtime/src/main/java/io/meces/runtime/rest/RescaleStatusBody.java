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

package io.meces.runtime.rest;

import io.meces.runtime.api.RescaleStatus;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** The JSON of {@link RescaleStatus}. */
public final class RescaleStatusBody implements ResponseBody {

    @JsonProperty("id")
    public final String id;

    @JsonProperty("state")
    public final RescaleStatus.State state;

    @Nullable
    @JsonProperty("station")
    public final String station;

    @JsonProperty("attempt")
    public final int attempt;

    @JsonProperty("vertices")
    public final List<VertexChange> vertices;

    @JsonProperty("steps-total")
    public final int stepsTotal;

    @JsonProperty("steps-completed")
    public final int stepsCompleted;

    @JsonProperty("units-total")
    public final long unitsTotal;

    @JsonProperty("units-migrated")
    public final long unitsMigrated;

    @JsonProperty("units-on-demand")
    public final long unitsOnDemand;

    @JsonProperty("bytes")
    public final long bytes;

    @JsonProperty("longest-stop-micros")
    public final long longestStopMicros;

    @JsonProperty("records-waited")
    public final long recordsWaited;

    @JsonProperty("total-wait-micros")
    public final long totalWaitMicros;

    @JsonProperty("longest-wait-micros")
    public final long longestWaitMicros;

    @JsonProperty("order-events")
    public final long orderEvents;

    @Nullable
    @JsonProperty("first-record-ms")
    public final Long firstRecordMs;

    @JsonProperty("start-time")
    public final long startTime;

    @JsonProperty("duration-ms")
    public final long durationMs;

    @Nullable
    @JsonProperty("longest-without-checkpoint-ms")
    public final Long longestWithoutCheckpointMs;

    @Nullable
    @JsonProperty("interruption")
    public final String interruption;

    @Nullable
    @JsonProperty("failure")
    public final String failure;

    @JsonCreator
    public RescaleStatusBody(
            @JsonProperty("id") String id,
            @JsonProperty("state") RescaleStatus.State state,
            @Nullable @JsonProperty("station") String station,
            @JsonProperty("attempt") int attempt,
            @JsonProperty("vertices") List<VertexChange> vertices,
            @JsonProperty("steps-total") int stepsTotal,
            @JsonProperty("steps-completed") int stepsCompleted,
            @JsonProperty("units-total") long unitsTotal,
            @JsonProperty("units-migrated") long unitsMigrated,
            @JsonProperty("units-on-demand") long unitsOnDemand,
            @JsonProperty("bytes") long bytes,
            @JsonProperty("longest-stop-micros") long longestStopMicros,
            @JsonProperty("records-waited") long recordsWaited,
            @JsonProperty("total-wait-micros") long totalWaitMicros,
            @JsonProperty("longest-wait-micros") long longestWaitMicros,
            @JsonProperty("order-events") long orderEvents,
            @Nullable @JsonProperty("first-record-ms") Long firstRecordMs,
            @JsonProperty("start-time") long startTime,
            @JsonProperty("duration-ms") long durationMs,
            @Nullable @JsonProperty("longest-without-checkpoint-ms")
                    Long longestWithoutCheckpointMs,
            @Nullable @JsonProperty("interruption") String interruption,
            @Nullable @JsonProperty("failure") String failure) {
        this.id = id;
        this.state = state;
        this.station = station;
        this.attempt = attempt;
        this.vertices = vertices;
        this.stepsTotal = stepsTotal;
        this.stepsCompleted = stepsCompleted;
        this.unitsTotal = unitsTotal;
        this.unitsMigrated = unitsMigrated;
        this.unitsOnDemand = unitsOnDemand;
        this.bytes = bytes;
        this.longestStopMicros = longestStopMicros;
        this.recordsWaited = recordsWaited;
        this.totalWaitMicros = totalWaitMicros;
        this.longestWaitMicros = longestWaitMicros;
        this.orderEvents = orderEvents;
        this.firstRecordMs = firstRecordMs;
        this.startTime = startTime;
        this.durationMs = durationMs;
        this.longestWithoutCheckpointMs = longestWithoutCheckpointMs;
        this.interruption = interruption;
        this.failure = failure;
    }

    static RescaleStatusBody of(RescaleStatus status) {
        return new RescaleStatusBody(
                status.id,
                status.state,
                status.station,
                status.attempt,
                status.vertices.stream().map(VertexChange::of).collect(Collectors.toList()),
                status.stepsTotal,
                status.stepsCompleted,
                status.unitsTotal,
                status.unitsMigrated,
                status.unitsOnDemand,
                status.bytes,
                status.longestStopMicros,
                status.waits.records,
                status.waits.totalNanos / 1_000,
                status.waits.longestNanos / 1_000,
                status.orderEvents,
                status.firstRecordMs,
                status.startTime,
                status.durationMs,
                status.longestWithoutCheckpointMs,
                status.interruption,
                status.failure);
    }

    /** The JSON of {@link RescaleStatus.VertexChange}. */
    public static final class VertexChange {
        @JsonProperty("id")
        public final String id;

        @JsonProperty("name")
        public final String name;

        @JsonProperty("from")
        public final int from;

        @JsonProperty("to")
        public final int to;

        @JsonCreator
        public VertexChange(
                @JsonProperty("id") String id,
                @JsonProperty("name") String name,
                @JsonProperty("from") int from,
                @JsonProperty("to") int to) {
            this.id = id;
            this.name = name;
            this.from = from;
            this.to = to;
        }

        private static VertexChange of(RescaleStatus.VertexChange change) {
            return new VertexChange(change.id, change.name, change.from, change.to);
        }
    }
}
