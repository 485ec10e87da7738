// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.KeyGroups;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricStore;

/** How subtasks are occupied, as Flink's metrics tell. Thread-safe. */
final class SubtaskTimes {

    private static final String BUSY = "busyTimeMsPerSecond";
    private static final String BACK_PRESSURED = "backPressuredTimeMsPerSecond";

    private final MetricFetcher metrics;

    SubtaskTimes(MetricFetcher metrics) {
        this.metrics = metrics;
    }

    /** Adds them; those that are not measured, or not fetched yet, stay unknown. */
    KeyGroups addTo(KeyGroups keyGroups, JobID job) {
        metrics.update();
        MetricStore.TaskMetricStore vertex =
                metrics.getMetricStore().getTaskMetricStore(job.toString(), keyGroups.id());
        List<Double> busy = new ArrayList<>();
        List<Double> backPressured = new ArrayList<>();
        for (int subtask = 0; subtask < keyGroups.subtasks().size(); subtask++) {
            busy.add(value(vertex, subtask, BUSY));
            backPressured.add(value(vertex, subtask, BACK_PRESSURED));
        }
        return keyGroups.withTimes(busy, backPressured);
    }

    /** What subtasks 0 to {@code subtasks} - 1 tell of a metric, summed up; null: not all do. */
    @Nullable
    Double sum(JobID job, String vertexId, int subtasks, String name) {
        MetricStore.TaskMetricStore vertex =
                metrics.getMetricStore().getTaskMetricStore(job.toString(), vertexId);
        double sum = 0;
        for (int subtask = 0; subtask < subtasks; subtask++) {
            Double value = value(vertex, subtask, name);
            if (value == null) {
                return null;
            }
            sum += value;
        }
        return sum;
    }

    @Nullable
    private static Double value(
            @Nullable MetricStore.TaskMetricStore vertex, int subtask, String name) {
        MetricStore.ComponentMetricStore store =
                vertex == null ? null : vertex.getSubtaskMetricStore(subtask);
        String text = store == null ? null : store.getMetric(name);
        double value;
        try {
            value = text == null ? Double.NaN : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            value = Double.NaN;
        }
        return Double.isNaN(value) || Double.isInfinite(value) ? null : value;
    }
}
