// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricStore;

/** The metrics that REST shows, which are fetched otherwise. Thread-safe. */
public abstract class Metrics implements MetricFetcher {

    private final MetricFetcher flinks;

    protected Metrics(MetricFetcher flinks) {
        this.flinks = flinks;
    }

    @Override
    public final MetricStore getMetricStore() {
        return flinks.getMetricStore();
    }

    @Override
    public final long getLastUpdateTime() {
        return flinks.getLastUpdateTime();
    }
}
