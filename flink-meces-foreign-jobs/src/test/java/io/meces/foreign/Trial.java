// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.rocksdb.MecesRocksDBOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * Two clusters, a stock Flink and one with flink-meces, and jobs that are run on both: on the first
 * without interruption, on the second with random rescales amid the records. For one thread.
 */
final class Trial implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int TASK_MANAGERS = 2;
    private static final int SLOTS = 6;
    private static final int HIGHEST_PARALLELISM = 5;
    private static final MemorySize MANAGED_MEMORY = MemorySize.parse("192m");
    private static final MemorySize LITTLE_MANAGED_MEMORY = MemorySize.parse("64m");

    /** So many rescales there are for each that is stopped or taken back. */
    private static final int ABORTED_ONE_IN = 4;

    private static final int ABORTED_WITHIN_MICROS = 150_000;
    private static final String[] STRATEGIES = {
        "minimal-move", "uniform", "consistent-hashing", "load-aware"
    };

    private final MiniCluster stock;
    private final MecesMiniCluster elastic;

    /**
     * @param backend of jobs that do not set one themselves
     * @param seed determines how much memory RocksDB has: much, or so little that it writes to disk
     *     all the time; and whether what moves becomes files also if it is little
     */
    Trial(Backend backend, long seed) throws Exception {
        Configuration common = new Configuration();
        // A restart would be a failure that is not seen.
        common.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        common.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("64m"));
        common.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("64m"));
        Random random = new Random(seed);
        boolean little = backend == Backend.ROCKSDB && random.nextBoolean();
        common.set(
                TaskManagerOptions.MANAGED_MEMORY_SIZE,
                little ? LITTLE_MANAGED_MEMORY : MANAGED_MEMORY);
        Configuration ofStock = new Configuration(common);
        backend.set(ofStock);
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
        backend.set(ofElastic);
        if (random.nextInt(3) > 0) {
            ofElastic.set(MecesRocksDBOptions.FILES_FROM, new MemorySize(1));
        }
        elastic =
                MecesMiniCluster.builder()
                        .taskManagers(TASK_MANAGERS)
                        .slotsPerTaskManager(SLOTS)
                        .configuration(ofElastic)
                        .start();
    }

    /** How a job went on the cluster with flink-meces. */
    static final class Outcome {
        List<String> results = Collections.emptyList();

        /** How many vertices can be rescaled. */
        final int elasticVertices;

        final String refusal;
        final List<String> warnings;
        final List<String> rescales = new ArrayList<>();
        Map<String, Object> accumulators = Collections.emptyMap();

        /** Units that all rescales together have moved. */
        long unitsMoved;

        private Outcome(Elasticity elasticity) {
            elasticVertices = elasticity.vertices().size();
            refusal = elasticity.refusal();
            warnings = elasticity.warnings();
        }
    }

    /** How far the sources of a run are. */
    interface Progress {
        /** Waits until the next rescale may begin. */
        void awaitPortion(int rescale) throws Exception;

        boolean hasRecordsLeft() throws Exception;

        /** The rescale is over. */
        void openPortion(int next);

        /**
         * There is no further rescale.
         *
         * @return whether the job now ends by itself; it is cancelled otherwise
         */
        boolean end() throws Exception;
    }

    /** That of sources which go as far as a feed lets them. */
    static Progress progress(Feed feed) {
        return new Progress() {
            @Override
            public void awaitPortion(int rescale) throws Exception {
                feed.awaitAllIn(rescale, PATIENCE);
            }

            @Override
            public boolean hasRecordsLeft() {
                return feed.withRecordsLeft() > 0;
            }

            @Override
            public void openPortion(int next) {
                feed.open(next);
            }

            @Override
            public boolean end() {
                feed.openAll();
                return true;
            }
        };
    }

    /** The results on a stock Flink, and the accumulators. */
    List<String> runOnStock(ForeignJob job, Backend backend) throws Exception {
        try (Run run = new Run(1)) {
            JobExecutionResult end = runOnStock(graph(job, run, backend, true));
            return withAccumulators(run.results.all(), end.getAllAccumulatorResults());
        }
    }

    /** Runs a job on a stock Flink to its end. */
    JobExecutionResult runOnStock(JobGraph graph) throws Exception {
        return stock.executeJobBlocking(graph);
    }

    private static List<String> withAccumulators(
            List<String> results, Map<String, Object> accumulators) {
        accumulators.forEach((name, value) -> results.add(name + ": " + value));
        return results;
    }

    /**
     * Runs a job with random rescales, of which each ends while all sources have records left; if
     * it cannot be rescaled, without.
     */
    Outcome runElastic(ForeignJob job, Backend backend, long seed, int rescales) throws Exception {
        Random random = new Random(31 * seed + job.name.hashCode());
        boolean incremental = random.nextBoolean();
        try (Run run = new Run(rescales + 1)) {
            Outcome outcome =
                    runElastic(
                            graph(job, run, backend, incremental),
                            random,
                            rescales,
                            false,
                            progress(run.feed));
            outcome.results = withAccumulators(run.results.all(), outcome.accumulators);
            return outcome;
        }
    }

    /**
     * Runs a job with random rescales; if it cannot be rescaled, without.
     *
     * @param bounded whether sources end without waiting for a rescale: then vertices can get more
     *     subtasks only, and a rescale may come too late
     */
    Outcome runElastic(
            JobGraph graph, Random random, int rescales, boolean bounded, Progress progress)
            throws Exception {
        JobID id = elastic.submit(graph);
        try {
            Elasticity elasticity = elastic.elasticity(id).get();
            Outcome outcome = new Outcome(elasticity);
            if (elasticity.refusal() == null) {
                rescale(id, progress, random, rescales, bounded, outcome);
            }
            if (progress.end()) {
                outcome.accumulators =
                        elastic.flink()
                                .requestJobResult(id)
                                .get(PATIENCE.getSeconds(), TimeUnit.SECONDS)
                                .toJobExecutionResult(Trial.class.getClassLoader())
                                .getAllAccumulatorResults();
            }
            return outcome;
        } catch (Exception | AssertionError e) {
            addFailure(id, e);
            throw e;
        } finally {
            if (!elastic.status(id).get().isGloballyTerminalState()) {
                elastic.cancel(id).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    /**
     * Tells why the job has failed, if it has, and how far its last rescale is, next to what that
     * led to.
     */
    private void addFailure(JobID id, Throwable to) {
        try {
            ErrorInfo failure =
                    elastic.flink()
                            .getExecutionGraph(id)
                            .get(PATIENCE.getSeconds(), TimeUnit.SECONDS)
                            .getFailureInfo();
            if (failure != null) {
                to.addSuppressed(
                        new AssertionError("The job failed: " + failure.getExceptionAsString()));
            }
            List<RescaleDetails> rescales =
                    elastic.rescales(id).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
            if (!rescales.isEmpty()) {
                RescaleDetails last = rescales.get(rescales.size() - 1);
                to.addSuppressed(
                        new AssertionError(
                                String.format(
                                        "The last rescale is %s, with %d of %d steps and %d of %d"
                                                + " units, %d ms after its request.",
                                        last.state(),
                                        last.stepsCompleted(),
                                        last.stepsTotal(),
                                        last.unitsMigrated(),
                                        last.unitsTotal(),
                                        last.durationMs())));
            }
        } catch (Exception unknown) {
            to.addSuppressed(unknown);
        }
    }

    private void rescale(
            JobID id,
            Progress progress,
            Random random,
            int rescales,
            boolean bounded,
            Outcome outcome)
            throws Exception {
        for (int i = 0; i < rescales; i++) {
            progress.awaitPortion(i);
            if (i == 0) {
                awaitAllRun(id);
            }
            RescaleDetails end;
            try {
                List<Elasticity.Vertex> vertices = elastic.elasticity(id).get().vertices();
                Optional<RescaleRequest> request = request(vertices, random, bounded);
                if (!request.isPresent()) {
                    return;
                }
                CompletableFuture<RescaleDetails> rescale = elastic.rescale(id, request.get());
                boolean aborted = !bounded && random.nextInt(ABORTED_ONE_IN) == 0;
                // not before something has moved: where a first one stops, its subtasks may stay
                // without key-groups, and a last one back to where it began has nothing to do
                if (aborted && outcome.unitsMoved > 0) {
                    abort(id, random);
                }
                end = rescale.get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (bounded && e.getCause() instanceof RescaleRefusedException) {
                    outcome.rescales.add("too late: " + e.getCause().getMessage());
                    return;
                }
                throw e;
            }
            if (end.status() != RescaleStatus.FINISHED && end.status() != RescaleStatus.ABORTED) {
                throw new AssertionError(
                        "rescale " + i + " " + end.status() + ": " + end.failure());
            }
            if (!bounded
                    && (!progress.hasRecordsLeft()
                            || elastic.status(id).get() != JobStatus.RUNNING)) {
                throw new AssertionError("rescale " + i + " ended after the records");
            }
            StringBuilder line = new StringBuilder();
            for (VertexChange change : end.vertices()) {
                line.append(change.name()).append(' ').append(change.from()).append(" to ");
                line.append(change.to()).append("; ");
            }
            outcome.rescales.add(
                    line.append(end.unitsMigrated())
                            .append(" units")
                            .append(end.status() == RescaleStatus.ABORTED ? ", aborted" : "")
                            .toString());
            outcome.unitsMoved += end.unitsMigrated();
            progress.openPortion(i + 1);
        }
    }

    /** At any moment, or too late. */
    private void abort(JobID id, Random random) throws Exception {
        TimeUnit.MICROSECONDS.sleep(random.nextInt(ABORTED_WITHIN_MICROS));
        List<RescaleDetails> rescales = elastic.rescales(id).get();
        AbortMode mode = random.nextBoolean() ? AbortMode.STOP : AbortMode.ROLLBACK;
        if (rescales.isEmpty()) {
            // it is being planned
            return;
        }
        try {
            elastic.abort(id, rescales.get(rescales.size() - 1).id(), mode)
                    .get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RescaleRefusedException)) {
                throw e;
            }
        }
    }

    /**
     * Some of the vertices, at least one, each to another parallelism; empty if none may change.
     */
    private static Optional<RescaleRequest> request(
            List<Elasticity.Vertex> vertices, Random random, boolean bounded) {
        List<Elasticity.Vertex> some = new ArrayList<>(vertices);
        some.removeIf(vertex -> highest(vertex) == 1);
        if (bounded) {
            some.removeIf(vertex -> vertex.parallelism() == highest(vertex));
        }
        if (some.isEmpty()) {
            return Optional.empty();
        }
        Collections.shuffle(some, random);
        List<RescaleRequest.Target> targets = new ArrayList<>();
        for (Elasticity.Vertex vertex : some.subList(0, 1 + random.nextInt(some.size()))) {
            int now = vertex.parallelism();
            int parallelism = 1 + random.nextInt(highest(vertex) - 1);
            targets.add(
                    RescaleRequest.Target.byId(
                            vertex.id(),
                            bounded ? now + 1 : parallelism < now ? parallelism : parallelism + 1));
        }
        Integer batchSize = random.nextBoolean() ? null : 1 + random.nextInt(8);
        return Optional.of(
                RescaleRequest.of(targets)
                        .withBatchSize(batchSize)
                        .withStrategy(STRATEGIES[random.nextInt(STRATEGIES.length)]));
    }

    private static int highest(Elasticity.Vertex vertex) {
        return Math.min(HIGHEST_PARALLELISM, vertex.capacity());
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
            // Subtasks beyond the parallelism are never deployed; what lists files ends at once.
            if (state != ExecutionState.RUNNING
                    && state != ExecutionState.CREATED
                    && state != ExecutionState.FINISHED) {
                return false;
            }
        }
        return graph.getState() == JobStatus.RUNNING;
    }

    private static JobGraph graph(ForeignJob job, Run run, Backend backend, boolean incremental)
            throws Exception {
        backend.set(run.env, incremental);
        job.definition.build(run);
        StreamGraph graph = run.env.getStreamGraph();
        graph.setJobName(job.name);
        return graph.getJobGraph();
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
