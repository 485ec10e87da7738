// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import static java.util.stream.Collectors.toList;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Interval;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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

    /**
     * A driver for the vertices whose names begin as given.
     *
     * @param batchSize key-groups that a subtask gives or takes in one step; null: as the
     *     JobManager is configured
     * @param strategy where key-groups go to; null: as the JobManager is configured
     * @throws IOException if the JobManager does not offer to rescale one of them
     */
    public RescaleDriver(
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
            vertices.add(vertex(elasticity, name));
        }
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
     * The vertex whose name begins as given.
     *
     * @throws IOException if the JobManager does not offer to rescale it
     */
    public static Elasticity.Vertex vertex(Elasticity elasticity, String name) throws IOException {
        for (Elasticity.Vertex vertex : elasticity.vertices()) {
            if (vertex.name().startsWith(name)) {
                return vertex;
            }
        }
        throw new IOException(
                "The JobManager does not offer to rescale "
                        + name
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
     * @throws TimeoutException if it has not ended after 15 minutes
     * @throws IOException if something else has failed meanwhile
     */
    public RescaleRun rescale(int to) throws IOException, InterruptedException, TimeoutException {
        long startMicros = EpochMicros.now();
        String id =
                client.rescale(
                        jobId,
                        RescaleRequest.of(
                                        vertexIds.stream()
                                                .map(v -> RescaleRequest.Target.byId(v, to))
                                                .collect(toList()))
                                .withBatchSize(batchSize)
                                .withStrategy(strategy));
        RescaleDetails[] rescale = new RescaleDetails[1];
        watchdog.await(
                "the rescale to end",
                () -> {
                    rescale[0] = client.rescale(jobId, id);
                    return rescale[0].status().isTerminal();
                },
                STATUS_INTERVAL,
                TIMEOUT);
        // not when we have seen it
        long endMicros = startMicros + rescale[0].durationMs() * 1_000;
        RescaleRun run =
                new RescaleRun(parallelism, to, rescale[0], new Interval(startMicros, endMicros));
        if (run.isFinished()) {
            parallelism = to;
        }
        return run;
    }
}
