// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.api.ResourceRequirements;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.run.Environment;
import io.meces.experiments.run.RescaleRun;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * How a stock Flink rescales a job. Nothing waits for anything but Flink. Owned by the thread that
 * uses it.
 */
final class StockRescale {
    private static final Duration POLL = Duration.ofMillis(10);
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    private final Environment environment;
    private final FlinkClient client;
    private final String job;
    private final List<String> vertices;

    /**
     * @param vertices how the names of those begin that are rescaled
     */
    StockRescale(Environment environment, String job, List<String> vertices) {
        this.environment = environment;
        this.client = environment.client();
        this.job = job;
        this.vertices = vertices;
    }

    /** A job that has been stopped and started anew. Times in µs since the epoch. Immutable. */
    static final class Restart {
        final String successor;
        final long beginMicros;
        final long stoppedMicros;
        final long runningMicros;

        private Restart(
                String successor, long beginMicros, long stoppedMicros, long runningMicros) {
            this.successor = successor;
            this.beginMicros = beginMicros;
            this.stoppedMicros = stoppedMicros;
            this.runningMicros = runningMicros;
        }

        RescaleRun run(int from, int to) {
            return finished(from, to, beginMicros, runningMicros);
        }

        /** What it consisted of, in ms. */
        Map<String, Long> phases() {
            Map<String, Long> phases = new LinkedHashMap<>();
            phases.put("stop-with-savepoint", (stoppedMicros - beginMicros) / 1_000);
            phases.put("start", (runningMicros - stoppedMicros) / 1_000);
            return phases;
        }
    }

    /**
     * Stops the job with a savepoint and starts it from there. The jar is there already. Blocks
     * until all of its tasks run.
     *
     * @param arguments of the new job, its parallelism among them
     * @throws IOException if the savepoint fails, or something else meanwhile
     * @throws TimeoutException if the savepoint takes 15 minutes
     */
    Restart restart(String mainClass, List<String> arguments) throws Exception {
        // that this job ends is no failure
        environment.watchdog().unwatch();
        long begin = EpochMicros.now();
        String request = client.stopWithSavepoint(job, environment.savepoints());
        JsonNode[] savepoint = new JsonNode[1];
        environment
                .watchdog()
                .await(
                        "the job to stop",
                        () -> {
                            savepoint[0] = client.savepoint(job, request);
                            return savepoint[0] != null;
                        },
                        POLL,
                        TIMEOUT);
        if (!savepoint[0].hasNonNull("location")) {
            throw new IOException("The savepoint failed: " + savepoint[0].path("failure-cause"));
        }
        long stopped = EpochMicros.now();
        String successor =
                environment.submit(mainClass, arguments, savepoint[0].path("location").asText());
        return new Restart(successor, begin, stopped, EpochMicros.now());
    }

    /**
     * Has the adaptive scheduler run the vertices with another parallelism, as Flink's page and its
     * autoscaler do (FLIP-291). Blocks until all tasks run so.
     *
     * @throws TimeoutException if they do not after 15 minutes
     * @throws IOException if something has failed meanwhile
     */
    RescaleRun require(int from, int to)
            throws IOException, InterruptedException, TimeoutException {
        Map<String, ParallelismBounds> bounds =
                new LinkedHashMap<>(client.requirements(job).vertices());
        for (JsonNode vertex : client.job(job).path("vertices")) {
            if (isRescaled(vertex)) {
                bounds.put(vertex.path("id").asText(), new ParallelismBounds(1, to));
            }
        }
        long begin = EpochMicros.now();
        client.require(job, new ResourceRequirements(bounds));
        environment
                .watchdog()
                .await("the job to run with parallelism " + to, () -> runs(to), POLL, TIMEOUT);
        return finished(from, to, begin, EpochMicros.now());
    }

    private boolean runs(int parallelism) throws IOException {
        for (JsonNode vertex : client.job(job).path("vertices")) {
            if (isRescaled(vertex) && vertex.path("parallelism").asInt() != parallelism) {
                return false;
            }
        }
        return client.isSettled(job);
    }

    private boolean isRescaled(JsonNode vertex) {
        return vertices.stream().anyMatch(vertex.path("name").asText()::startsWith);
    }

    private static RescaleRun finished(int from, int to, long beginMicros, long endMicros) {
        RescaleDetails details =
                RescaleDetails.of("", RescaleStatus.FINISHED)
                        .time(beginMicros / 1_000, (endMicros - beginMicros) / 1_000)
                        .build();
        return new RescaleRun(from, to, details, new Interval(beginMicros, endMicros));
    }
}
