// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.WebOptions;

/** Durations that users configure. Pure. */
public final class FlinkDurations {

    private FlinkDurations() {}

    /** How long Flink waits for a slot. */
    public static Duration slotRequest(ReadableConfig config) {
        return Duration.ofMillis(config.get(JobManagerOptions.SLOT_REQUEST_TIMEOUT));
    }

    /** How long a request of REST may take. */
    public static Duration rest(ReadableConfig config) {
        return Duration.ofMillis(config.get(WebOptions.TIMEOUT));
    }

    /** How often metrics are fetched for REST, in milliseconds. */
    public static long metricFetch(ReadableConfig config) {
        return config.get(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL);
    }
}
