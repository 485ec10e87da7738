// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.experiments.measure.Interval;

/** A rescale, as it was seen from outside. Immutable. */
public final class RescaleRun {
    public final int from;
    public final int to;

    /** How it ended, as the JobManager says. */
    @JsonUnwrapped public final RescaleDetails rescale;

    /** From just before it was asked for until its end. */
    @JsonIgnore public final Interval interval;

    public RescaleRun(int from, int to, RescaleDetails rescale, Interval interval) {
        this.from = from;
        this.to = to;
        this.rescale = rescale;
        this.interval = interval;
    }

    /** The time for which it is held responsible: until one second after its end. */
    public Interval affected() {
        return new Interval(interval.startMicros, interval.endMicros + 1_000_000L);
    }

    public boolean isFinished() {
        return rescale.status() == RescaleStatus.FINISHED;
    }

    /** How it ended, for people. */
    public String outcome() {
        return String.format(
                "%s after %d ms%s",
                rescale.status(),
                rescale.durationMs(),
                rescale.failure() == null ? "." : ": " + rescale.failure());
    }
}
