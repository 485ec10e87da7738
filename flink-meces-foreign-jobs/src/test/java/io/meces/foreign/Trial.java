/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.foreign;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackendFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * Two clusters, a stock Flink and one with flink-meces, and jobs that are run on both: on the first
 * without interruption, on the second with random rescales amid the records. For one thread.
 */
final class Trial implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TASK_MANAGERS = 2;
    private static final int SLOTS = 6;
    private static final int HIGHEST_PARALLELISM = 5;
    private static final String[] STRATEGIES = {
        "minimal-move", "uniform", "consistent-hashing", "load-aware"
    };

    private final MiniCluster stock;
    private final MecesMiniCluster elastic;

    Trial() throws Exception {
        Configuration common = new Configuration();
        common.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("64m"));
        common.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("64m"));
        common.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("64m"));
        Configuration ofStock = new Configuration(common);
        ofStock.set(RestOptions.PORT, 0);
        ofStock.set(RestOptions.BIND_PORT, "0");
        stock =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(ofStock)
                                .setNumTaskManagers(TASK_MANAGERS)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        stock.start();
        Configuration ofElastic = new Configuration(common);
        ofElastic.set(CheckpointingOptions.STATE_BACKEND, MecesStateBackendFactory.class.getName());
        elastic =
                MecesMiniCluster.builder()
                        .taskManagers(TASK_MANAGERS)
                        .slotsPerTaskManager(SLOTS)
                        .configuration(ofElastic)
                        .start();
    }

    /** How a job went on the cluster with flink-meces. */
    static final class Outcome {
        final List<String> results;

        /** Names of the vertices that were rescaled. */
        final int elasticVertices;

        final String refusal;
        final List<String> rescales;

        /** Units that all rescales together have moved. */
        final long unitsMoved;

        Outcome(
                List<String> results,
                int elasticVertices,
                String refusal,
                List<String> rescales,
                long unitsMoved) {
            this.results = results;
            this.elasticVertices = elasticVertices;
            this.refusal = refusal;
            this.rescales = rescales;
            this.unitsMoved = unitsMoved;
        }
    }

    /** The results on a stock Flink. */
    List<String> runOnStock(ForeignJob job) throws Exception {
        try (Run run = new Run(1)) {
            stock.executeJobBlocking(graph(job, run));
            return run.results.all();
        }
    }

    /**
     * Runs a job with random rescales, of which each ends while all sources have records left; if
     * it cannot be rescaled, without.
     */
    Outcome runElastic(ForeignJob job, long seed, int rescales) throws Exception {
        try (Run run = new Run(rescales + 1)) {
            JobID id = elastic.submit(graph(job, run));
            try {
                Elasticity elasticity = elastic.elasticity(id).get();
                List<String> log = new ArrayList<>();
                long unitsMoved = 0;
                if (elasticity.refusal() == null) {
                    unitsMoved =
                            rescale(
                                    id,
                                    run,
                                    new Random(31 * seed + job.name.hashCode()),
                                    rescales,
                                    log);
                }
                run.feed.openAll();
                elastic.flink()
                        .requestJobResult(id)
                        .get(PATIENCE.getSeconds(), TimeUnit.SECONDS)
                        .toJobExecutionResult(Trial.class.getClassLoader());
                return new Outcome(
                        run.results.all(),
                        elasticity.vertices().size(),
                        elasticity.refusal(),
                        log,
                        unitsMoved);
            } finally {
                if (!elastic.status(id).get().isGloballyTerminalState()) {
                    elastic.cancel(id).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
                }
            }
        }
    }

    /** How many units have moved. */
    private long rescale(JobID id, Run run, Random random, int rescales, List<String> log)
            throws Exception {
        long units = 0;
        for (int i = 0; i < rescales; i++) {
            run.feed.awaitAllIn(i, PATIENCE);
            if (i == 0) {
                awaitAllRun(id);
            }
            RescaleRequest request = request(elastic.elasticity(id).get().vertices(), random);
            RescaleDetails end =
                    elastic.rescale(id, request).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
            if (end.status() != RescaleStatus.FINISHED) {
                throw new AssertionError(
                        "rescale " + i + " " + end.status() + ": " + end.failure());
            }
            if (run.feed.withRecordsLeft() == 0 || elastic.status(id).get() != JobStatus.RUNNING) {
                throw new AssertionError("rescale " + i + " ended after the records");
            }
            StringBuilder line = new StringBuilder();
            for (VertexChange change : end.vertices()) {
                line.append(change.name()).append(' ').append(change.from()).append(" to ");
                line.append(change.to()).append("; ");
            }
            log.add(line.append(end.unitsMigrated()).append(" units").toString());
            units += end.unitsMigrated();
            run.feed.open(i + 1);
        }
        return units;
    }

    /** Some of the vertices, at least one, each to another parallelism. */
    private static RescaleRequest request(List<Elasticity.Vertex> vertices, Random random) {
        List<Elasticity.Vertex> some = new ArrayList<>(vertices);
        Collections.shuffle(some, random);
        List<RescaleRequest.Target> targets = new ArrayList<>();
        for (Elasticity.Vertex vertex : some.subList(0, 1 + random.nextInt(some.size()))) {
            int parallelism = 1 + random.nextInt(HIGHEST_PARALLELISM - 1);
            targets.add(
                    RescaleRequest.Target.byId(
                            vertex.id(),
                            parallelism < vertex.parallelism() ? parallelism : parallelism + 1));
        }
        Integer batchSize = random.nextBoolean() ? null : 1 + random.nextInt(8);
        return RescaleRequest.of(targets)
                .withBatchSize(batchSize)
                .withStrategy(STRATEGIES[random.nextInt(STRATEGIES.length)]);
    }

    /** A rescale is refused until the JobManager has heard that all tasks run. */
    private void awaitAllRun(JobID id) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!allRun(elastic.flink().getExecutionGraph(id).get())) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Not all tasks run.");
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static boolean allRun(AccessExecutionGraph graph) {
        for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
            ExecutionState state = vertex.getExecutionState();
            // Subtasks beyond the parallelism are never deployed.
            if (state != ExecutionState.RUNNING && state != ExecutionState.CREATED) {
                return false;
            }
        }
        return graph.getState() == JobStatus.RUNNING;
    }

    private static JobGraph graph(ForeignJob job, Run run) throws Exception {
        job.definition.build(run);
        return run.env.getStreamGraph(job.name).getJobGraph();
    }

    @Override
    public void close() throws Exception {
        try {
            stock.close();
        } finally {
            elastic.close();
        }
    }
}
