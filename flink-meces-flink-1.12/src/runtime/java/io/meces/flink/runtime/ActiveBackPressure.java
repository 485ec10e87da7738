// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.messages.TaskBackPressureResponse;
import org.apache.flink.runtime.rest.handler.legacy.backpressure.OperatorBackPressureStats;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The back pressure of elastic vertices. Flink's tracker asks all subtasks of a vertex or none, and
 * some are not deployed. Like it, this one answers with what it had when it was asked before. Owned
 * by the JobMaster's main thread.
 */
public final class ActiveBackPressure {

    private static final Logger LOG = LoggerFactory.getLogger(ActiveBackPressure.class);

    private final long refreshMillis;
    private final Time timeout;
    private final LongSupplier epochMillis;
    private final Map<JobVertexID, Sample> samples = new HashMap<>();
    private int lastRequest;

    /**
     * @param refreshMillis how long a sample is good
     * @param timeout how long a task may take to be sampled
     */
    ActiveBackPressure(long refreshMillis, Time timeout, LongSupplier epochMillis) {
        this.refreshMillis = refreshMillis;
        this.timeout = timeout;
        this.epochMillis = epochMillis;
    }

    /** As the configuration says. */
    public static ActiveBackPressure of(SchedulerParameters parameters) {
        Configuration configuration = parameters.configuration;
        return new ActiveBackPressure(
                configuration.getInteger(WebOptions.BACKPRESSURE_REFRESH_INTERVAL),
                Time.milliseconds(
                        parameters.rpcTimeout.toMillis()
                                + (long)
                                                configuration.getInteger(
                                                        WebOptions.BACKPRESSURE_NUM_SAMPLES)
                                        * configuration.getInteger(WebOptions.BACKPRESSURE_DELAY)),
                System::currentTimeMillis);
    }

    /**
     * What is known of the subtasks; empty if nothing is, then it will be soon.
     *
     * @param subtasks those that are deployed, in order
     * @param mainThread of the JobMaster
     */
    public Optional<OperatorBackPressureStats> of(
            JobVertexID vertex, List<Execution> subtasks, Executor mainThread) {
        List<ExecutionAttemptID> attempts = new ArrayList<>();
        for (Execution subtask : subtasks) {
            if (subtask.getState() != ExecutionState.RUNNING) {
                return Optional.empty();
            }
            attempts.add(subtask.getAttemptId());
        }
        Sample sample = samples.get(vertex);
        if (sample == null || !sample.attempts.equals(attempts)) {
            sample = new Sample(attempts);
            samples.put(vertex, sample);
        }
        if (!sample.pending
                && (sample.stats == null
                        || epochMillis.getAsLong() - sample.stats.getEndTimestamp()
                                >= refreshMillis)) {
            take(sample, subtasks, mainThread);
        }
        return Optional.ofNullable(sample.stats);
    }

    private void take(Sample sample, List<Execution> subtasks, Executor mainThread) {
        int request = ++lastRequest;
        List<CompletableFuture<TaskBackPressureResponse>> responses = new ArrayList<>();
        for (Execution subtask : subtasks) {
            responses.add(subtask.requestBackPressure(request, timeout));
        }
        sample.pending = true;
        Futures.combineAll(responses)
                .whenCompleteAsync(
                        (all, failure) -> {
                            sample.pending = false;
                            if (failure == null) {
                                sample.stats = stats(request, all);
                            } else {
                                LOG.debug("Cannot tell the back pressure.", failure);
                            }
                        },
                        mainThread);
    }

    private OperatorBackPressureStats stats(
            int request, Collection<TaskBackPressureResponse> responses) {
        return new OperatorBackPressureStats(
                request,
                epochMillis.getAsLong(),
                responses.stream()
                        .mapToDouble(TaskBackPressureResponse::getBackPressureRatio)
                        .toArray());
    }

    private static final class Sample {
        final List<ExecutionAttemptID> attempts;
        boolean pending;
        @Nullable OperatorBackPressureStats stats;

        Sample(List<ExecutionAttemptID> attempts) {
            this.attempts = attempts;
        }
    }
}
