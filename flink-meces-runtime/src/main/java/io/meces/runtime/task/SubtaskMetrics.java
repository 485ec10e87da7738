// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.exchange.ExchangeMetrics;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * What one elastic subtask counts, in the group {@code meces} of the metrics of its task, which
 * Flink unregisters when the task ends; and all that, for the TaskManager as a whole. At rest
 * nothing is counted. Updated by the task thread, read by any.
 */
final class SubtaskMetrics implements ExchangeMetrics {

    static final String GROUP = "meces";

    /** Each takes eight bytes for each of both histograms, also of a subtask at rest. */
    private static final int SAMPLES = 500;

    private final ExchangeMetrics ofTaskManager;
    private final Counter unitsIn;
    private final Counter unitsOut;
    private final Histogram fetchMicros;
    private final Histogram recordWaitMicros;
    private volatile int parkedRecords;
    private volatile int backlog;

    SubtaskMetrics(ExchangeMetrics ofTaskManager, MetricGroup task) {
        this.ofTaskManager = ofTaskManager;
        MetricGroup group = task.addGroup(GROUP);
        group.gauge("parkedRecords", () -> parkedRecords);
        group.gauge("backlog", () -> backlog);
        unitsIn = group.counter("numUnitsIn");
        unitsOut = group.counter("numUnitsOut");
        fetchMicros = histogram(group, "fetchMicros");
        recordWaitMicros = histogram(group, "recordWaitMicros");
    }

    private static Histogram histogram(MetricGroup group, String name) {
        return group.histogram(name, new DescriptiveStatisticsHistogram(SAMPLES));
    }

    @Override
    public void requested() {
        ofTaskManager.requested();
    }

    @Override
    public void fetched(long nanos) {
        fetchMicros.update(nanos / 1_000);
        ofTaskManager.fetched(nanos);
    }

    @Override
    public void granted(boolean onDemand) {
        ofTaskManager.granted(onDemand);
    }

    @Override
    public void extracted() {
        unitsOut.inc();
        ofTaskManager.extracted();
    }

    @Override
    public void installed() {
        unitsIn.inc();
        ofTaskManager.installed();
    }

    @Override
    public void waited(long nanos) {
        recordWaitMicros.update(nanos / 1_000);
    }

    @Override
    public void waiting(int parked, int behind) {
        parkedRecords = parked;
        backlog = behind;
    }

    @Override
    public void confirmed(long nanos) {
        ofTaskManager.confirmed(nanos);
    }

    @Override
    public void repeated(long messages) {
        ofTaskManager.repeated(messages);
    }

    @Override
    public void duplicates(long messages) {
        ofTaskManager.duplicates(messages);
    }

    @Override
    public void stale() {
        ofTaskManager.stale();
    }

    @Override
    public void malformed() {
        ofTaskManager.malformed();
    }
}
