// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A scenario's job on a cluster, ours or Flink's. It fails rather than restarts. One thread. */
final class RunningJob implements AutoCloseable {

    private static final int CHECKPOINT_INTERVAL_MS = 50;
    private static final int LIMIT_SECONDS = 60;

    final Run run;
    private final MiniCluster flink;
    @Nullable private final MecesMiniCluster ours;
    private final JobID id;
    @Nullable private final Path checkpoints;
    private boolean over;

    private RunningJob(
            Scenario scenario,
            Run run,
            MiniCluster flink,
            @Nullable MecesMiniCluster ours,
            StateBackend backend,
            @Nullable Path checkpoints,
            int parallelism,
            @Nullable String savepoint)
            throws Exception {
        this.run = run;
        this.flink = flink;
        this.ours = ours;
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(parallelism);
        env.setMaxParallelism(Scenario.MAX_PARALLELISM);
        env.setBufferTimeout(5);
        env.enableCheckpointing(CHECKPOINT_INTERVAL_MS);
        TestGraphs.neverRestart(env);
        TestGraphs.setStateBackend(env, backend);
        this.checkpoints = checkpoints;
        if (checkpoints != null) {
            TestGraphs.retainCheckpoints(env);
        }
        scenario.build(env, run);
        JobGraph graph = TestGraphs.of(env, run.name);
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        this.id = graph.getJobID();
        if (ours == null) {
            flink.runDetached(graph);
        } else {
            ours.submit(graph);
        }
    }

    /** Starts the job on a cluster of ours, from a savepoint if there is one. */
    static RunningJob ours(
            MecesMiniCluster cluster,
            MatrixBackends backends,
            Scenario scenario,
            Run run,
            int parallelism,
            int subGroups,
            @Nullable String savepoint)
            throws Exception {
        return new RunningJob(
                scenario,
                run,
                cluster.flink(),
                cluster,
                backends.ours(run, subGroups),
                backends.checkpoints(),
                parallelism,
                savepoint);
    }

    /** Starts the job on a stock cluster with Flink's backend. */
    static RunningJob flinks(
            MiniCluster cluster,
            MatrixBackends backends,
            Scenario scenario,
            Run run,
            int parallelism,
            @Nullable String savepoint)
            throws Exception {
        return new RunningJob(
                scenario,
                run,
                cluster,
                null,
                backends.flinks(run),
                backends.checkpoints(),
                parallelism,
                savepoint);
    }

    /** Lets the sources go on to a round, and waits until its records have been processed. */
    void runTo(int round) throws Exception {
        run.open(Feed.round(round), false);
        finishRound(round);
    }

    /** Lets the sources go on to a round slowly, so that records come in the meantime. */
    void begin(int round) {
        run.open(Feed.round(round), true);
    }

    void finishRound(int round) throws Exception {
        run.open(Feed.round(round), false);
        run.awaitEmitted(Feed.round(round), this::checkRunning);
        awaitProcessed();
    }

    /** Waits until everything that was emitted before this call has been processed. */
    void awaitProcessed() throws Exception {
        run.awaitProcessed(this::checkRunning);
    }

    private void checkRunning() throws Exception {
        if (flink.getJobStatus(id).get(LIMIT_SECONDS, TimeUnit.SECONDS).isGloballyTerminalState()) {
            awaitEnd();
        }
    }

    /** Rescales the vertex that is elastic, and waits for it. */
    void rescale(int parallelism, @Nullable Integer batchSize) throws Exception {
        await(beginRescale(parallelism, batchSize));
    }

    CompletableFuture<RescaleDetails> beginRescale(int parallelism, @Nullable Integer batchSize)
            throws Exception {
        return ours.rescale(
                id,
                RescaleRequest.of(RescaleRequest.Target.byId(keyed().id(), parallelism))
                        .withBatchSize(batchSize));
    }

    static void await(CompletableFuture<RescaleDetails> rescale) throws Exception {
        RescaleDetails status = rescale.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal()).isPositive();
    }

    /** The elastic vertex. */
    Elasticity.Vertex keyed() throws Exception {
        Elasticity elasticity = ours.elasticity(id).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(elasticity.refusal()).isNull();
        assertThat(elasticity.vertices()).hasSize(1);
        return elasticity.vertices().get(0);
    }

    /** Takes a savepoint, and stops the job if it shall. */
    Savepoint savepoint(String directory, boolean cancel) throws Exception {
        String path =
                Savepoints.take(flink, id, directory, cancel).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        over = cancel;
        return Savepoint.read(path);
    }

    /** Ends the job, which leaves its last checkpoint. */
    Savepoint retainedCheckpoint() throws Exception {
        flink.cancelJob(id).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        flink.requestJobResult(id).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        over = true;
        try (Stream<Path> kept = Files.list(checkpoints.resolve(id.toString()))) {
            Path last =
                    kept.filter(path -> Files.exists(path.resolve("_metadata")))
                            .max(
                                    Comparator.comparingLong(
                                            path ->
                                                    Long.parseLong(
                                                            path.getFileName()
                                                                    .toString()
                                                                    .substring(4))))
                            .orElseThrow(() -> new AssertionError("No checkpoint was kept"));
            return Savepoint.read(last.toUri().toString());
        }
    }

    /** Lets the sources go to their end and waits for that of the job. */
    List<String> finish() throws Exception {
        runTo(Feed.ROUND_D);
        return finishFromAnywhere();
    }

    /** Likewise, where it is not known how far they are. */
    List<String> finishFromAnywhere() throws Exception {
        run.open(Feed.END, false);
        awaitEnd();
        return run.lines();
    }

    /** Waits for the end, which must not be a failure. */
    private void awaitEnd() throws Exception {
        JobResult result = flink.requestJobResult(id).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        over = true;
        if (result.getSerializedThrowable().isPresent()) {
            throw new AssertionError(
                    "The job failed",
                    result.getSerializedThrowable()
                            .get()
                            .deserializeError(RunningJob.class.getClassLoader()));
        }
        assertThat(result.isSuccess()).isTrue();
    }

    /** Cancels the job if it is still there. */
    @Override
    public void close() throws Exception {
        if (!over) {
            flink.cancelJob(id).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            flink.requestJobResult(id).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }
}
