// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import io.meces.api.RescaleDetails;

/** A rescale of the demo, as it was seen from outside. */
public final class RescaleRun {
    public final int from;
    public final int to;

    /** How it ended, as the JobManager says. */
    public final RescaleDetails rescale;

    /** From just before it was asked for until its end was seen. */
    public final Interval interval;

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
}
