// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.io.Serializable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;

/** What Flink measures of accesses to state, as it is configured. Owned by one thread. */
public final class AccessMetrics implements Serializable {
    private static final long serialVersionUID = 1L;

    private final LatencyTrackingStateConfig.Builder latency;

    private AccessMetrics(LatencyTrackingStateConfig.Builder latency) {
        this.latency = latency;
    }

    public static AccessMetrics none() {
        return new AccessMetrics(LatencyTrackingStateConfig.newBuilder());
    }

    public static AccessMetrics configured(ReadableConfig config) {
        return new AccessMetrics(LatencyTrackingStateConfig.newBuilder().configure(config));
    }

    /** The group of an operator gets the metrics. */
    public AccessMetrics in(MetricGroup group) {
        latency.setMetricGroup(group);
        return this;
    }

    public LatencyTrackingStateConfig latency() {
        return latency.build();
    }
}
