// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.util.Properties;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** A reporter of a user's. */
public final class UsersReporter implements MetricReporter, MetricReporterFactory {
    static volatile boolean hasOurs;

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return this;
    }

    @Override
    public void open(MetricConfig config) {
        hasOurs = false;
    }

    @Override
    public void close() {
        // nothing to close
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        if (group.getMetricIdentifier(name).contains("meces")) {
            hasOurs = true;
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        // not looked at
    }
}
