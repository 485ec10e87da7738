// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.job.RescaleSettings;
import io.meces.core.plan.Repartitioning;
import io.meces.flink.runtime.FlinkDurations;
import io.meces.runtime.MecesOptions;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;

/** How rescales are done, by the configuration of the JobManager. Stateless. */
public final class ConfiguredRescales {

    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(1);

    /** Akka refuses to be woken after 248 days, and the JobMaster would end. */
    private static final Duration LONGEST_LIMIT = Duration.ofDays(100);

    private ConfiguredRescales() {}

    /**
     * What is configured.
     *
     * @throws IllegalConfigurationException if it cannot be, naming the option and the remedy
     */
    public static RescaleSettings settings(ReadableConfig config) {
        return new RescaleSettings(
                batchSize(config),
                batchBytes(config),
                timeLimit(config, MecesOptions.STEP_DURATION),
                slotTimeout(config),
                timeLimit(config, MecesOptions.STEP_TIMEOUT),
                config.get(MecesOptions.RUNNING_CHECKPOINT),
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
        Duration flinks = FlinkDurations.slotRequest(config).dividedBy(10).multipliedBy(9);
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
}
