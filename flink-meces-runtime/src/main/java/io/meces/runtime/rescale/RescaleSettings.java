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

package io.meces.runtime.rescale;

import io.meces.core.plan.Repartitioning;
import io.meces.runtime.MecesOptions;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.ReadableConfig;

/** How rescales of a job are done, unless a request says otherwise. An immutable value. */
public final class RescaleSettings {

    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(1);

    /** Akka refuses to be woken after 248 days, and the JobMaster would end. */
    private static final Duration LONGEST_LIMIT = Duration.ofDays(100);

    private final int batchSize;
    private final long batchBytes;
    private final Duration stepDuration;
    private final Duration slotTimeout;
    private final Duration stepTimeout;
    private final boolean abortsCheckpoints;
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
            boolean abortsCheckpoints,
            int attempts,
            Repartitioning strategy) {
        this.batchSize = batchSize;
        this.batchBytes = batchBytes;
        this.stepDuration = stepDuration;
        this.slotTimeout = slotTimeout;
        this.stepTimeout = stepTimeout;
        this.abortsCheckpoints = abortsCheckpoints;
        this.attempts = attempts;
        this.strategy = strategy;
    }

    /**
     * What is configured.
     *
     * @throws IllegalConfigurationException if it cannot be, naming the option and the remedy
     */
    public static RescaleSettings from(ReadableConfig config) {
        return new RescaleSettings(
                batchSize(config),
                batchBytes(config),
                timeLimit(config, MecesOptions.STEP_DURATION),
                slotTimeout(config),
                timeLimit(config, MecesOptions.STEP_TIMEOUT),
                config.get(MecesOptions.RUNNING_CHECKPOINT) == MecesOptions.RunningCheckpoint.ABORT,
                attempts(config),
                strategy(config));
    }

    private static int batchSize(ReadableConfig config) {
        int keyGroups = config.get(MecesOptions.BATCH_SIZE);
        if (keyGroups < 1) {
            throw new IllegalConfigurationException(
                    MecesOptions.BATCH_SIZE.key()
                            + " is "
                            + keyGroups
                            + "; it must be at least 1.");
        }
        return keyGroups;
    }

    private static long batchBytes(ReadableConfig config) {
        long bytes = config.get(MecesOptions.BATCH_BYTES).getBytes();
        if (bytes < 1) {
            throw new IllegalConfigurationException(
                    MecesOptions.BATCH_BYTES.key() + " is " + bytes + "; it must be at least 1.");
        }
        return bytes;
    }

    private static Duration slotTimeout(ReadableConfig config) {
        Duration configured = timeLimit(config, MecesOptions.SLOT_TIMEOUT);
        Duration longest = longestSlotTimeout(config);
        return configured.compareTo(longest) < 0 ? configured : longest;
    }

    /**
     * How long a rescale can wait for slots: a little less than Flink does, as a request for a slot
     * that Flink gives up is a failure of the job.
     */
    public static Duration longestSlotTimeout(ReadableConfig config) {
        Duration flinks =
                Duration.ofMillis(config.get(JobManagerOptions.SLOT_REQUEST_TIMEOUT))
                        .dividedBy(10)
                        .multipliedBy(9);
        if (flinks.compareTo(SHORTEST_LIMIT) < 0) {
            return SHORTEST_LIMIT;
        }
        return flinks.compareTo(LONGEST_LIMIT) < 0 ? flinks : LONGEST_LIMIT;
    }

    private static Duration timeLimit(ReadableConfig config, ConfigOption<Duration> option) {
        Duration limit = config.get(option);
        if (limit.compareTo(SHORTEST_LIMIT) < 0 || limit.compareTo(LONGEST_LIMIT) > 0) {
            throw new IllegalConfigurationException(
                    option.key() + " is " + limit + "; it must be at least 1 ms, at most 100 d.");
        }
        return limit;
    }

    private static Repartitioning strategy(ReadableConfig config) {
        try {
            return Repartitioning.named(config.get(MecesOptions.STRATEGY));
        } catch (IllegalArgumentException e) {
            throw new IllegalConfigurationException(
                    MecesOptions.STRATEGY.key() + ": " + e.getMessage(), e);
        }
    }

    private static int attempts(ReadableConfig config) {
        int attempts = config.get(MecesOptions.ATTEMPTS);
        if (attempts < 1) {
            throw new IllegalConfigurationException(
                    MecesOptions.ATTEMPTS.key() + " is " + attempts + "; it must be at least 1.");
        }
        return config.get(MecesOptions.ON_FAILURE) == MecesOptions.OnFailure.RESUME ? attempts : 1;
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

    /** Whether a rescale aborts the checkpoint that is on its way when it begins. */
    public boolean abortsCheckpoints() {
        return abortsCheckpoints;
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
