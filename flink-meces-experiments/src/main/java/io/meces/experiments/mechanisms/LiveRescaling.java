// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.harness.RescaleDriver;
import io.meces.experiments.harness.RescaleRun;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.util.Collections;
import javax.annotation.Nullable;

/** Asks flink-meces to rescale the job while it runs. */
final class LiveRescaling implements Rescaling {
    private final FlinkClient client;
    private final Workload workload;
    private final ExperimentOptions options;
    @Nullable private final String strategy;
    private final Watchdog watchdog;

    LiveRescaling(
            FlinkClient client,
            Workload workload,
            ExperimentOptions options,
            @Nullable String strategy,
            Watchdog watchdog) {
        this.client = client;
        this.workload = workload;
        this.options = options;
        this.strategy = strategy;
        this.watchdog = watchdog;
    }

    @Override
    public Outcome rescale(String jobId) throws Exception {
        RescaleDriver driver = driver(jobId);
        return new Outcome(
                jobId,
                driver.rescale(options.to()),
                driver.subGroups(),
                Collections.emptyMap(),
                null);
    }

    @Override
    public void prepare(String jobId) throws Exception {
        RescaleDriver driver = driver(jobId);
        for (int parallelism : new int[] {options.to(), options.from()}) {
            RescaleRun run = driver.rescale(parallelism);
            if (run.rescale.status() != RescaleStatus.FINISHED) {
                throw new IOException(
                        "The rescale to "
                                + parallelism
                                + " during the warm-up was "
                                + run.rescale.status()
                                + ": "
                                + run.rescale.failure());
            }
        }
    }

    private RescaleDriver driver(String jobId) throws IOException {
        return RescaleDriver.of(
                client, jobId, workload.vertices(), options.batchSize, strategy, watchdog);
    }
}
