// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.Stages;
import javax.annotation.Nullable;

/**
 * What the records that were due while a rescale had an effect waited for, in ms on average of all
 * of them (paper, figure 13). Together that is their latency, unless some part was shorter than
 * before. An immutable value.
 */
final class Causes {

    /** The latency of the same job before: network, buffers, counting, Kafka. */
    final double job;

    /** That a source reads them, beyond that: it is held up, or the job does not run. */
    final double source;

    /** Their state, which has not come yet. */
    final double state;

    /** Other records in front of them in the job, and all else. */
    final double queue;

    private Causes(double job, double source, double state, double queue) {
        this.job = job;
        this.source = source;
        this.state = state;
        this.queue = queue;
    }

    /**
     * Of a run; null if it is not known where its records were.
     *
     * @param stateMicros how long all records together have waited for state
     */
    @Nullable
    static Causes of(
            @Nullable Stages stages, Interval measured, Interval affected, long stateMicros) {
        if (stages == null) {
            return null;
        }
        double[] before = stages.within(new Interval(measured.startMicros, affected.startMicros));
        double[] then = stages.within(affected);
        double state = stateMicros / 1e3 / then[Stages.COUNT];
        return new Causes(
                before[0] + before[1] + before[2],
                Math.max(0, then[0] - before[0]),
                state,
                Math.max(0, then[1] + then[2] - before[1] - before[2] - state));
    }
}
