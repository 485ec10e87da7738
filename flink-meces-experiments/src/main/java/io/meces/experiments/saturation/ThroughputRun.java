// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import io.meces.examples.saturation.CountReading;
import java.util.List;

/** A variant, measured in one round. */
final class ThroughputRun {

    /** From 1. */
    final int round;

    final Variant variant;
    final double recordsPerSecond;

    /** For how long it ran while it was measured: the shortest of the subtasks. */
    final double seconds;

    final int checkpointsCompleted;

    /** The longest time for which the machine stood still meanwhile. */
    final long longestStallMs;

    /**
     * A run.
     *
     * @param round which one
     * @param variant of what
     * @param before a reading of each subtask
     * @param after a later one, in the same order
     * @param checkpointsCompleted how many were completed since the job began
     * @param longestStallMs the longest time for which the machine stood still
     */
    static ThroughputRun of(
            int round,
            Variant variant,
            List<CountReading> before,
            List<CountReading> after,
            int checkpointsCompleted,
            long longestStallMs) {
        double recordsPerSecond = 0;
        double seconds = Double.POSITIVE_INFINITY;
        for (int i = 0; i < before.size(); i++) {
            recordsPerSecond += after.get(i).perSecondSince(before.get(i));
            seconds = Math.min(seconds, (after.get(i).nanos - before.get(i).nanos) / 1e9);
        }
        return new ThroughputRun(
                round, variant, recordsPerSecond, seconds, checkpointsCompleted, longestStallMs);
    }

    ThroughputRun(
            int round,
            Variant variant,
            double recordsPerSecond,
            double seconds,
            int checkpointsCompleted,
            long longestStallMs) {
        this.round = round;
        this.variant = variant;
        this.recordsPerSecond = recordsPerSecond;
        this.seconds = seconds;
        this.checkpointsCompleted = checkpointsCompleted;
        this.longestStallMs = longestStallMs;
    }
}
