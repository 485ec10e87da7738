// SPDX-License-Identifier: Apache-2.0
package io.meces.autoscaler;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.common.JobID;
import org.apache.flink.autoscaler.JobAutoScalerContext;
import org.apache.flink.autoscaler.JobAutoScalerImpl;
import org.apache.flink.autoscaler.RestApiMetricsCollector;
import org.apache.flink.autoscaler.ScalingExecutor;
import org.apache.flink.autoscaler.ScalingMetricEvaluator;
import org.apache.flink.autoscaler.config.AutoScalerOptions;
import org.apache.flink.autoscaler.event.LoggingEventHandler;
import org.apache.flink.autoscaler.state.AutoScalerStateStore;
import org.apache.flink.autoscaler.state.InMemoryAutoScalerStateStore;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's autoscaler, for all jobs of a cluster: what its stand-alone main does, which is published
 * in no repository of artifacts. Owned by one thread.
 */
final class Autoscaler {

    private static final Logger LOG = LoggerFactory.getLogger(Autoscaler.class);

    private final Cluster cluster;
    private final Configuration options;
    private final JobAutoScalerImpl<JobID, JobAutoScalerContext<JobID>> autoscaler;
    private Set<JobID> known = new HashSet<>();

    /**
     * @param options have precedence over the configuration of the cluster
     */
    Autoscaler(Cluster cluster, RequirementsRealizer realizer, Configuration options) {
        this.cluster = cluster;
        this.options = options;
        LoggingEventHandler<JobID, JobAutoScalerContext<JobID>> events =
                new LoggingEventHandler<>();
        AutoScalerStateStore<JobID, JobAutoScalerContext<JobID>> store =
                new InMemoryAutoScalerStateStore<>();
        this.autoscaler =
                new JobAutoScalerImpl<>(
                        new RestApiMetricsCollector<>(),
                        new ScalingMetricEvaluator(),
                        new ScalingExecutor<>(events, store),
                        events,
                        realizer,
                        store);
    }

    /** Looks at all jobs again and again, until the thread is interrupted. */
    void run(Duration interval) throws InterruptedException {
        while (true) {
            try {
                scaleAll();
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                LOG.warn("The cluster cannot be asked; trying again in {}.", interval, e);
            }
            Thread.sleep(interval.toMillis());
        }
    }

    private void scaleAll() throws Exception {
        Set<JobID> running = new HashSet<>();
        for (JobStatusMessage job : cluster.jobs()) {
            if (!job.getJobState().isGloballyTerminalState()) {
                running.add(job.getJobId());
                scale(job);
            }
        }
        known.removeAll(running);
        known.forEach(autoscaler::cleanup);
        known = running;
    }

    private void scale(JobStatusMessage job) throws Exception {
        Configuration configuration = cluster.configuration(job.getJobId());
        if (!configuration.contains(AutoScalerOptions.AUTOSCALER_ENABLED)) {
            // who starts an autoscaler wants one
            configuration.set(AutoScalerOptions.AUTOSCALER_ENABLED, true);
        }
        configuration.addAll(options);
        autoscaler.scale(
                new JobAutoScalerContext<>(
                        job.getJobId(),
                        job.getJobId(),
                        job.getJobState(),
                        configuration,
                        new UnregisteredMetricsGroup(),
                        cluster::client));
    }
}
