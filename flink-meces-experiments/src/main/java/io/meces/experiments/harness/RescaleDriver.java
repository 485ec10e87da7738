// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import static java.util.stream.Collectors.toList;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;

/** Rescales vertices of a job, all to the same parallelism, and watches how that goes. */
public final class RescaleDriver {
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    /** Asking costs the JobManager what it needs for the rescale, so not too often. */
    private static final Duration STATUS_INTERVAL = Duration.ofMillis(100);

    private final FlinkClient client;
    private final String jobId;
    private final List<String> vertexIds;
    private final int subGroups;
    @Nullable private final Integer batchSize;
    @Nullable private final String strategy;
    private final Watchdog watchdog;
    private int parallelism;

    private RescaleDriver(
            FlinkClient client,
            String jobId,
            List<Elasticity.Vertex> vertices,
            @Nullable Integer batchSize,
            @Nullable String strategy,
            Watchdog watchdog) {
        this.client = client;
        this.jobId = jobId;
        this.vertexIds = vertices.stream().map(Elasticity.Vertex::id).collect(toList());
        this.parallelism = vertices.get(0).parallelism();
        // a setting of the cluster, the same for all
        this.subGroups = vertices.get(0).subGroups();
        this.batchSize = batchSize;
        this.strategy = strategy;
        this.watchdog = watchdog;
    }

    /**
     * A driver for the vertex whose name begins as given.
     *
     * @throws IOException if the JobManager does not offer to rescale it
     */
    public static RescaleDriver of(
            FlinkClient client,
            String jobId,
            String vertexName,
            @Nullable Integer batchSize,
            Watchdog watchdog)
            throws IOException {
        return of(client, jobId, Collections.singletonList(vertexName), batchSize, null, watchdog);
    }

    /**
     * A driver for the vertices whose names begin as given.
     *
     * @param strategy where key-groups go to; null: as the JobManager is configured
     * @throws IOException if the JobManager does not offer to rescale one of them
     */
    public static RescaleDriver of(
            FlinkClient client,
            String jobId,
            List<String> vertexNames,
            @Nullable Integer batchSize,
            @Nullable String strategy,
            Watchdog watchdog)
            throws IOException {
        Elasticity elasticity = client.elasticity(jobId);
        List<Elasticity.Vertex> vertices = new ArrayList<>();
        for (String name : vertexNames) {
            vertices.add(
                    elasticity.vertices().stream()
                            .filter(vertex -> vertex.name().startsWith(name))
                            .findFirst()
                            .orElseThrow(() -> notOffered(name, elasticity)));
        }
        return new RescaleDriver(client, jobId, vertices, batchSize, strategy, watchdog);
    }

    private static IOException notOffered(String vertexName, Elasticity elasticity) {
        return new IOException(
                "The JobManager does not offer to rescale "
                        + vertexName
                        + (elasticity.refusal() == null ? "." : ": " + elasticity.refusal()));
    }

    /** Into how many units a key-group is divided. */
    public int subGroups() {
        return subGroups;
    }

    /** The parallelism of the vertices, as far as this driver has seen. */
    public int parallelism() {
        return parallelism;
    }

    /**
     * Rescales the vertices and waits for the end, be it a failure.
     *
     * @throws io.meces.cli.rest.RefusedException if the JobManager refuses
     * @throws TimeoutException if it has not ended after 180 s
     * @throws IOException if something else has failed meanwhile
     */
    public RescaleRun rescale(int to) throws IOException, InterruptedException, TimeoutException {
        long startMicros = EpochMicros.now();
        String rescaleId =
                client.rescale(
                        jobId,
                        RescaleRequest.of(
                                        vertexIds.stream()
                                                .map(id -> RescaleRequest.Target.byId(id, to))
                                                .collect(toList()))
                                .withBatchSize(batchSize)
                                .withStrategy(strategy));
        RescaleDetails rescale = client.rescale(jobId, rescaleId);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!rescale.status().isTerminal()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException(
                        "The rescale is still "
                                + rescale.status()
                                + " after "
                                + TIMEOUT.getSeconds()
                                + " s.");
            }
            watchdog.pause(STATUS_INTERVAL);
            rescale = client.rescale(jobId, rescaleId);
        }
        // not when we have seen it
        long endMicros = startMicros + rescale.durationMs() * 1_000;
        RescaleRun run =
                new RescaleRun(parallelism, to, rescale, new Interval(startMicros, endMicros));
        if (rescale.status() == RescaleStatus.FINISHED) {
            parallelism = to;
        }
        return run;
    }
}
