// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/** One rescale, and how it stands at one moment. Immutable; made by a {@link Builder}. */
public final class RescaleDetails implements Serializable {
    private static final long serialVersionUID = 1L;

    private String id;
    private RescaleStatus status;
    @Nullable private RescaleState state;
    @Nullable private RescaleCause cause;
    private int attempt = 1;
    private List<VertexChange> vertices = new ArrayList<>();
    private int stepsTotal;
    private int stepsCompleted;
    private long unitsTotal;
    private long unitsMigrated;
    private long unitsOnDemand;
    private long keysFetched;
    private long bytes;
    private long longestStopMicros;
    private long recordsWaited;
    private long totalWaitMicros;
    private long longestWaitMicros;
    private long orderEvents;
    @Nullable private Long firstRecordMs;
    private long startTime;
    private long durationMs;
    @Nullable private Long longestWithoutCheckpointMs;
    private int missingSlots;
    @Nullable private Long slotsAwaitedUntil;
    @Nullable private String interruption;
    @Nullable private String failure;

    RescaleDetails() {}

    public static Builder of(String id, RescaleStatus status) {
        return new Builder(id, status);
    }

    /** Identifies it within its job: 32 hex digits. */
    public String id() {
        return id;
    }

    public RescaleStatus status() {
        return status;
    }

    /**
     * What exactly it is doing; null if it is {@link RescaleStatus#RECOVERING} or has ended, and to
     * a reader who does not know that state.
     */
    @Nullable
    public RescaleState state() {
        return state;
    }

    /** Why it was begun; null to a reader who does not know that cause. */
    @Nullable
    public RescaleCause cause() {
        return cause;
    }

    /** 1, and one more each time that it has gone on after a failure. */
    public int attempt() {
        return attempt;
    }

    public List<VertexChange> vertices() {
        return Collections.unmodifiableList(vertices);
    }

    public int stepsTotal() {
        return stepsTotal;
    }

    public int stepsCompleted() {
        return stepsCompleted;
    }

    /** Units (key-group, sub-group) that it has to move. */
    public long unitsTotal() {
        return unitsTotal;
    }

    public long unitsMigrated() {
        return unitsMigrated;
    }

    /** How many of {@link #unitsMigrated} a waiting record has asked for. */
    public long unitsOnDemand() {
        return unitsOnDemand;
    }

    /**
     * Keys whose data was fetched since a record or a timer waited for it, in steps that are over;
     * 0 for state that comes with its units, as that on the heap.
     */
    public long keysFetched() {
        return keysFetched;
    }

    /** Serialised size of what has moved: the units, and data that has come apart from them. */
    public long bytes() {
        return bytes;
    }

    /** The longest that a single unit, leaving or coming, has kept a task from its records. */
    public long longestStopMicros() {
        return longestStopMicros;
    }

    /** How many records have waited at new owners for state, in steps that are over. */
    public long recordsWaited() {
        return recordsWaited;
    }

    /** How long they have waited, all of them together. */
    public long totalWaitMicros() {
        return totalWaitMicros;
    }

    /** How long the one has waited that waited for the longest. */
    public long longestWaitMicros() {
        return longestWaitMicros;
    }

    /**
     * Events that were broadcast to consumers so that results stay in order, in steps that are
     * over; one goes to all consumers behind an output.
     */
    public long orderEvents() {
        return orderEvents;
    }

    /**
     * From the request until a new owner processed a record of a unit that it was given, in ms;
     * null if that has not happened yet.
     */
    @Nullable
    public Long firstRecordMs() {
        return firstRecordMs;
    }

    /** When it was asked for, in ms since the epoch. */
    public long startTime() {
        return startTime;
    }

    /** From the request to the end, or until now. */
    public long durationMs() {
        return durationMs;
    }

    /**
     * The longest time without a completed checkpoint, from the last one before it began; null if
     * the job has no checkpoints.
     */
    @Nullable
    public Long longestWithoutCheckpointMs() {
        return longestWithoutCheckpointMs;
    }

    /** For how many new subtasks it waits for a slot at the moment. */
    public int missingSlots() {
        return missingSlots;
    }

    /**
     * When it is given up if they do not come, in ms since the epoch; null if it does not wait for
     * slots.
     */
    @Nullable
    public Long slotsAwaitedUntil() {
        return slotsAwaitedUntil;
    }

    /**
     * What has interrupted it the last time, such as a restart of the job; null if nothing has. It
     * went on after that if {@link #attempt} says so.
     */
    @Nullable
    public String interruption() {
        return interruption;
    }

    /** Why it ended early; null unless it is {@code FAILED} or {@code ABORTED}. */
    @Nullable
    public String failure() {
        return failure;
    }

    /** Makes one; what is not told is 0, empty or null. For one thread, and one value. */
    public static final class Builder {
        private final RescaleDetails made = new RescaleDetails();

        Builder(String id, RescaleStatus status) {
            made.id = id;
            made.status = status;
        }

        public Builder state(@Nullable RescaleState state) {
            made.state = state;
            return this;
        }

        public Builder cause(RescaleCause cause) {
            made.cause = cause;
            return this;
        }

        public Builder attempt(int attempt) {
            made.attempt = attempt;
            return this;
        }

        public Builder vertices(List<VertexChange> vertices) {
            made.vertices = new ArrayList<>(vertices);
            return this;
        }

        public Builder steps(int completed, int total) {
            made.stepsCompleted = completed;
            made.stepsTotal = total;
            return this;
        }

        public Builder units(long migrated, long total) {
            made.unitsMigrated = migrated;
            made.unitsTotal = total;
            return this;
        }

        public Builder unitsOnDemand(long units) {
            made.unitsOnDemand = units;
            return this;
        }

        public Builder keysFetched(long keys) {
            made.keysFetched = keys;
            return this;
        }

        public Builder bytes(long bytes) {
            made.bytes = bytes;
            return this;
        }

        public Builder longestStopMicros(long micros) {
            made.longestStopMicros = micros;
            return this;
        }

        /** How long records have waited. */
        public Builder waits(long records, long totalMicros, long longestMicros) {
            made.recordsWaited = records;
            made.totalWaitMicros = totalMicros;
            made.longestWaitMicros = longestMicros;
            return this;
        }

        public Builder orderEvents(long events) {
            made.orderEvents = events;
            return this;
        }

        public Builder firstRecordMs(@Nullable Long ms) {
            made.firstRecordMs = ms;
            return this;
        }

        /** When it was asked for, and how long it has taken. */
        public Builder time(long startTime, long durationMs) {
            made.startTime = startTime;
            made.durationMs = durationMs;
            return this;
        }

        public Builder longestWithoutCheckpointMs(@Nullable Long ms) {
            made.longestWithoutCheckpointMs = ms;
            return this;
        }

        /** How many slots it waits for, and until when, in ms since the epoch. */
        public Builder missingSlots(int slots, long until) {
            made.missingSlots = slots;
            made.slotsAwaitedUntil = until;
            return this;
        }

        public Builder interruption(@Nullable String reason) {
            made.interruption = reason;
            return this;
        }

        public Builder failure(@Nullable String reason) {
            made.failure = reason;
            return this;
        }

        public RescaleDetails build() {
            return made;
        }
    }
}
