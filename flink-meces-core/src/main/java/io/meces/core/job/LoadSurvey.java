// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.api.RescaleRefusedException;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.plan.VertexLoad;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the subtasks of some vertices how busy each key-group is. Nothing of the kind is sent unless
 * somebody asks. Owned by the JobMaster's main thread.
 */
final class LoadSurvey {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final UUID id = UUID.randomUUID();
    private final Collection<ElasticVertex> vertices;
    private final RescaleContext context;
    private final CompletableFuture<Map<VertexId, VertexLoad>> result = new CompletableFuture<>();

    /** The subtasks that have not answered yet. */
    private final Map<AttemptId, Sum> awaited = new LinkedHashMap<>();

    private final Map<VertexId, Sum> sums = new HashMap<>();

    LoadSurvey(Collection<ElasticVertex> vertices, RescaleContext context) {
        this.vertices = vertices;
        this.context = context;
    }

    /**
     * Begins it; to be called once.
     *
     * @return the load of each vertex. Fails with a {@link RescaleRefusedException} if some subtask
     *     does not run, or does not answer in time. Completes in the main thread.
     */
    CompletableFuture<Map<VertexId, VertexLoad>> begin() {
        for (ElasticVertex vertex : vertices) {
            Sum sum = new Sum(vertex);
            sums.put(vertex.id(), sum);
            for (int i = 0; i < vertex.connected(); i++) {
                if (!context.isRunning(vertex.id(), i)) {
                    fail("subtask " + i + " of " + vertex + " does not run");
                    return result;
                }
                awaited.put(context.attempt(vertex.id(), i), sum);
            }
        }
        TaskCommand measure = new TaskCommand.MeasureLoad(id);
        for (ElasticVertex vertex : vertices) {
            for (int i = 0; i < vertex.connected(); i++) {
                int subtask = i;
                context.send(vertex.id(), i, measure)
                        .whenComplete(
                                (ok, failure) -> {
                                    if (failure != null) {
                                        fail(
                                                "subtask "
                                                        + subtask
                                                        + " of "
                                                        + vertex
                                                        + " cannot be asked: "
                                                        + failure);
                                    }
                                });
            }
        }
        context.schedule(
                () ->
                        fail(
                                awaited.size()
                                        + " subtask(s) have not told it within "
                                        + LIMIT.toMillis()
                                        + " ms"),
                LIMIT);
        return result;
    }

    void onReport(AttemptId task, TaskReport.Load report) {
        if (id.equals(report.rescale) && awaited.containsKey(task)) {
            awaited.remove(task).add(report);
            if (awaited.isEmpty()) {
                Map<VertexId, VertexLoad> loads = new HashMap<>();
                sums.forEach((vertex, sum) -> loads.put(vertex, sum.load()));
                result.complete(loads);
            }
        }
    }

    /** It will not come to an end; does nothing if it has. */
    void fail(String reason) {
        result.completeExceptionally(
                new RescaleRefusedException(
                        RescaleRefusedException.Kind.CONFLICT,
                        "The load is not known: "
                                + reason
                                + ". Ask again, or name a strategy that"
                                + " does not need it."));
    }

    /** What the subtasks of a vertex have measured, together. */
    private static final class Sum {
        private final double[] recordsPerSecond;
        private final long[] entries;
        private double share;

        Sum(ElasticVertex vertex) {
            this.recordsPerSecond = new double[vertex.maxParallelism()];
            this.entries = new long[vertex.maxParallelism()];
        }

        void add(TaskReport.Load report) {
            for (TaskReport.KeyGroupLoad load : report.keyGroups) {
                recordsPerSecond[load.keyGroup] += load.recordsPerSecond;
                entries[load.keyGroup] += load.entries;
            }
            share = Math.max(share, report.share);
        }

        /** The subtask that has measured for the longest has seen all that happened meanwhile. */
        VertexLoad load() {
            for (int keyGroup = 0; share > 0 && keyGroup < entries.length; keyGroup++) {
                recordsPerSecond[keyGroup] /= share;
            }
            return VertexLoad.of(recordsPerSecond, entries);
        }
    }
}
