// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.plan.Repartitioning;
import java.time.Duration;

/** How rescales of a job are done, unless a request says otherwise. An immutable value. */
public final class RescaleSettings {

    private final int batchSize;
    private final long batchBytes;
    private final Duration stepDuration;
    private final Duration slotTimeout;
    private final Duration stepTimeout;
    private final RunningCheckpoint runningCheckpoint;
    private final int attempts;
    private final Repartitioning strategy;

    /**
     * @param batchBytes how much state a subtask gives or takes in one step, as far as that can be
     *     foreseen; {@link Long#MAX_VALUE}: as much as {@code batchSize} key-groups have
     * @param stepDuration how long a step should take in a job with event time
     * @param attempts how often a rescale is begun before failures have it given up; 1: it does not
     *     outlive a failure
     */
    public RescaleSettings(
            int batchSize,
            long batchBytes,
            Duration stepDuration,
            Duration slotTimeout,
            Duration stepTimeout,
            RunningCheckpoint runningCheckpoint,
            int attempts,
            Repartitioning strategy) {
        this.batchSize = batchSize;
        this.batchBytes = batchBytes;
        this.stepDuration = stepDuration;
        this.slotTimeout = slotTimeout;
        this.stepTimeout = stepTimeout;
        this.runningCheckpoint = runningCheckpoint;
        this.attempts = attempts;
        this.strategy = strategy;
    }

    public int batchSize() {
        return batchSize;
    }

    /** How much state a subtask gives or takes in one step, as far as that can be foreseen. */
    public long batchBytes() {
        return batchBytes;
    }

    /** How long a step should take in a job with event time, as far as that can be foreseen. */
    public Duration stepDuration() {
        return stepDuration;
    }

    /** Whether {@link #stepDuration} says more than {@link #stepTimeout}. */
    public boolean limitsStepDuration() {
        return stepDuration.compareTo(stepTimeout) < 0;
    }

    public Duration slotTimeout() {
        return slotTimeout;
    }

    public Duration stepTimeout() {
        return stepTimeout;
    }

    /** What becomes of a checkpoint that is on its way when a rescale wants to move state. */
    public RunningCheckpoint runningCheckpoint() {
        return runningCheckpoint;
    }

    /** How often a rescale is begun before failures have it given up. */
    public int attempts() {
        return attempts;
    }

    /** Where key-groups go to, unless a request says otherwise. */
    public Repartitioning strategy() {
        return strategy;
    }
}
