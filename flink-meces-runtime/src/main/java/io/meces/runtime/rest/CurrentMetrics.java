// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.Futures;
import io.meces.flink.runtime.Gateways;
import io.meces.flink.runtime.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.runtime.messages.webmonitor.MultipleJobsDetails;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricStoreAccess;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's metrics for REST without those of subtasks that are gone. Flink keeps the last values of
 * a subtask for as long as its job is there, and adds them to sums. Where a task of a job has begun
 * or ended since the last fetch, this forgets all metrics of the job right before it has them
 * fetched. Thread-safe.
 */
public final class CurrentMetrics extends Metrics {

    private static final Logger LOG = LoggerFactory.getLogger(CurrentMetrics.class);

    private final MetricFetcher flink;
    private final GatewayRetriever<? extends RestfulGateway> dispatcher;
    private final Executor executor;
    private final Duration timeout;
    private final long intervalMillis;
    private final LongSupplier epochMillis;

    /** When a task of the job was last seen to have changed, by job. */
    private final Map<JobID, Long> changes = new HashMap<>();

    /** After the last fetch had begun: the fetcher measures from an earlier moment. */
    private long lastFetch;

    private boolean fetching;

    /**
     * @param flink fetches when it is told to, if its interval is over
     * @param intervalMillis that of {@code flink}
     */
    public CurrentMetrics(
            MetricFetcher flink,
            GatewayRetriever<? extends RestfulGateway> dispatcher,
            Executor executor,
            Duration timeout,
            long intervalMillis,
            LongSupplier epochMillis) {
        super(flink);
        this.flink = flink;
        this.dispatcher = dispatcher;
        this.executor = executor;
        this.timeout = timeout;
        this.intervalMillis = intervalMillis;
        this.epochMillis = epochMillis;
    }

    @Override
    public void update() {
        synchronized (this) {
            if (fetching || epochMillis.getAsLong() - lastFetch <= intervalMillis) {
                return;
            }
            fetching = true;
        }
        requestJobs()
                .thenAcceptAsync(this::forgetChanged, executor)
                .whenCompleteAsync(
                        (done, failure) -> {
                            if (failure != null) {
                                LOG.debug("Cannot tell which tasks have ended.", failure);
                            }
                            fetch();
                        },
                        executor);
    }

    private CompletableFuture<MultipleJobsDetails> requestJobs() {
        return dispatcher
                .getNow()
                .map(leader -> leader.requestMultipleJobDetails(Gateways.timeout(timeout)))
                .orElseGet(
                        () ->
                                Futures.completedExceptionally(
                                        new FlinkException("There is no leader.")));
    }

    private void fetch() {
        flink.update();
        synchronized (this) {
            lastFetch = epochMillis.getAsLong();
            fetching = false;
        }
    }

    private synchronized void forgetChanged(MultipleJobsDetails jobs) {
        Map<JobID, Long> before = new HashMap<>(changes);
        changes.clear();
        List<String> unchanged = new ArrayList<>();
        for (JobDetails job : jobs.getJobs()) {
            changes.put(job.getJobId(), job.getLastUpdateTime());
            if (before.getOrDefault(job.getJobId(), -1L) == job.getLastUpdateTime()) {
                unchanged.add(job.getJobId().toString());
            }
        }
        MetricStoreAccess.retainJobs(getMetricStore(), unchanged);
    }
}
