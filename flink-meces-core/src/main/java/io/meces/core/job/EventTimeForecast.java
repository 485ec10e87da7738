// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.command.EventTime;
import io.meces.core.id.AttemptId;
import java.util.HashMap;
import java.util.Map;

/**
 * Foresees when watermarks have timers fire, for event time that goes on as fast as the clock: then
 * no watermark comes with less delay than the one with the least so far. Timers of the vertices
 * that moved before count, too: their results are the input of the others.
 *
 * <p>Pure; owned by the JobMaster's main thread.
 */
public final class EventTimeForecast {

    private static final double NANOS_PER_MS = 1e6;

    private static final double NOTHING_SEEN = Double.NEGATIVE_INFINITY;

    /** The most by which a watermark was ahead of the clock, in ms. */
    private double lead = NOTHING_SEEN;

    private final Map<AttemptId, Long> nextTimers;

    public EventTimeForecast() {
        this(new HashMap<>());
    }

    private EventTimeForecast(Map<AttemptId, Long> nextTimers) {
        this.nextTimers = nextTimers;
    }

    /** That of the vertex that moves next: with other watermarks, but all timers known so far. */
    public EventTimeForecast ofNextVertex() {
        return new EventTimeForecast(nextTimers);
    }

    /** A subtask has told how far it is. */
    public void observe(AttemptId subtask, EventTime time, long nowNanos) {
        nextTimers.put(subtask, time.nextTimer);
        if (time.watermark > Long.MIN_VALUE && time.watermark < Long.MAX_VALUE) {
            lead = Math.max(lead, time.watermark - nowNanos / NANOS_PER_MS);
        }
    }

    /**
     * When the first timer is to fire, as far as is known; {@link Long#MAX_VALUE} if there is none.
     *
     * @param watermark timers up to it have fired
     */
    public long nextTimer(long watermark) {
        return nextTimers.values().stream()
                .mapToLong(Long::longValue)
                .filter(time -> time > watermark)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether a watermark may reach a time before that many ns have passed. */
    public boolean mayReach(long time, long nowNanos, long withinNanos) {
        return lead != NOTHING_SEEN
                && time < Long.MAX_VALUE
                && time - lead <= (nowNanos + (double) withinNanos) / NANOS_PER_MS;
    }
}
