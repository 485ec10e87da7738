// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.io.Serializable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.metrics.MetricGroup;

/** What is measured of accesses to state: nothing on this line. Immutable. */
public final class AccessMetrics implements Serializable {
    private static final long serialVersionUID = 1L;

    private AccessMetrics() {}

    public static AccessMetrics none() {
        return new AccessMetrics();
    }

    public static AccessMetrics configured(ReadableConfig config) {
        return none();
    }

    public AccessMetrics in(MetricGroup group) {
        return this;
    }
}
