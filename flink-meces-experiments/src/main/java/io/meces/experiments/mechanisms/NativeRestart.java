// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.RescaleRun;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * Stops the job with a savepoint and starts it from there with another parallelism, as one does on
 * a stock Flink. The jar is there already, and nothing waits for anything but Flink.
 */
final class NativeRestart implements Rescaling {
    private static final Duration POLL = Duration.ofMillis(10);
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    private final FlinkClient client;
    private final String savepoints;
    private final Start start;
    private final ExperimentOptions options;
    private final Watchdog watchdog;

    /** Starts the job. */
    @FunctionalInterface
    interface Start {

        /** Returns the id of the job, when all of its tasks run. */
        String from(String savepoint) throws Exception;
    }

    /**
     * A restart.
     *
     * @param savepoints the directory for the savepoint, a URI
     * @param start starts the job with the new parallelism
     */
    NativeRestart(
            FlinkClient client,
            String savepoints,
            Start start,
            ExperimentOptions options,
            Watchdog watchdog) {
        this.client = client;
        this.savepoints = savepoints;
        this.start = start;
        this.options = options;
        this.watchdog = watchdog;
    }

    @Override
    public Outcome rescale(String jobId) throws Exception {
        // that this job ends is no failure
        watchdog.unwatch();
        long begin = EpochMicros.now();
        String savepoint = stop(jobId);
        long stopped = EpochMicros.now();
        String successor = start.from(savepoint);
        long running = EpochMicros.now();
        RescaleDetails restart =
                RescaleDetails.of("", RescaleStatus.FINISHED)
                        .time(begin / 1_000, (running - begin) / 1_000)
                        .build();
        Map<String, Long> phases = new LinkedHashMap<>();
        phases.put("stop-with-savepoint", (stopped - begin) / 1_000);
        phases.put("start", (running - stopped) / 1_000);
        return new Outcome(
                successor,
                new RescaleRun(options.from(), options.to(), restart, new Interval(begin, running)),
                1,
                phases,
                stopped);
    }

    private String stop(String jobId) throws Exception {
        String request = client.stopWithSavepoint(jobId, savepoints);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            JsonNode operation = client.savepoint(jobId, request);
            if (operation != null) {
                if (operation.hasNonNull("location")) {
                    return operation.path("location").asText();
                }
                throw new IOException("The savepoint failed: " + operation.path("failure-cause"));
            }
            watchdog.pause(POLL);
        }
        throw new TimeoutException(
                "The job has not stopped within " + TIMEOUT.getSeconds() + " s.");
    }
}
