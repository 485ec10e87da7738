// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.runtime.live.Clusters;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.util.function.FunctionUtils;

/**
 * Runs scenarios in several ways on a cluster of ours and on one of Flink's. What Flink's gives,
 * with its heap backend and never interrupted, is what all others must give.
 */
final class Matrix implements AutoCloseable {

    private static final AtomicInteger RUNS = new AtomicInteger();

    private final String savepoints;
    private final MatrixBackends backends;
    private final MecesMiniCluster ours;
    private final MiniCluster flinks;
    private final ConcurrentMap<Scenario, Reference> references = new ConcurrentHashMap<>();

    /** Starts the clusters. */
    Matrix(Path savepointDirectory, MatrixBackends backends) throws Exception {
        this.backends = backends;
        savepoints = savepointDirectory.toUri().toString();
        ours = Clusters.start(2, 8, new Configuration());
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        flinks =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(8)
                                .build());
        flinks.start();
    }

    @Override
    public void close() throws Exception {
        try {
            ours.close();
        } finally {
            flinks.close();
        }
    }

    // ------------------------------------------------------------------------
    //  Modes
    // ------------------------------------------------------------------------

    /** Rescaled out, in and out again while records come and state is pending. */
    void live(Scenario scenario) throws Exception {
        live(scenario, 16, 3, 5, 2, 4);
    }

    void live(Scenario scenario, int subGroups, int... parallelisms) throws Exception {
        Reference reference = reference(scenario);
        Run run = newRun(scenario);
        try (RunningJob job = RunningJob.ours(ours, backends, scenario, run, 2, subGroups, null)) {
            toRoundC(job, parallelisms);
            assertSame(job.finish(), reference.lines);
        }
    }

    /** A savepoint of ours, after rescales, is restored by Flink's heap backend. */
    void savepointToFlink(Scenario scenario, int parallelism) throws Exception {
        Reference reference = reference(scenario);
        Savepoint savepoint;
        List<String> lines;
        Run run = newRun(scenario);
        try (RunningJob job = RunningJob.ours(ours, backends, scenario, run, 2, 16, null)) {
            toRoundC(job, 3, 5, 2);
            assertScattered(job.keyed());
            savepoint = job.savepoint(savepoints, true);
            lines = new ArrayList<>(run.linesUntil(savepoint.checkpointId));
        }
        if (scenario.hasSameBytes() && backends.writeTheSameBytes()) {
            assertThat(savepoint.bytes)
                    .as("bytes")
                    .isNotEmpty()
                    .isEqualTo(reference.savepoint.bytes);
        }
        Run resumed = resumedRun(scenario, lines);
        try (RunningJob job =
                RunningJob.flinks(
                        flinks, backends, scenario, resumed, parallelism, savepoint.path)) {
            lines.addAll(job.finish());
        }
        assertSame(lines, reference.lines);
    }

    /** A savepoint of Flink's heap backend is restored by ours, and the job rescaled then. */
    void savepointFromFlink(Scenario scenario, int parallelism) throws Exception {
        Reference reference = reference(scenario);
        List<String> lines = new ArrayList<>(reference.linesUntilSavepoint);
        Run resumed = resumedRun(scenario, lines);
        try (RunningJob job =
                RunningJob.ours(
                        ours,
                        backends,
                        scenario,
                        resumed,
                        parallelism,
                        16,
                        reference.savepoint.path)) {
            job.begin(Feed.ROUND_D);
            job.awaitProcessed();
            job.rescale(3, 4);
            lines.addAll(job.finish());
        }
        assertSame(lines, reference.lines);
    }

    /**
     * A savepoint of an uneven assignment is restored with another parallelism and other
     * sub-groups.
     */
    void savepointToOurs(Scenario scenario, int parallelism) throws Exception {
        Reference reference = reference(scenario);
        Savepoint savepoint;
        List<String> lines;
        Run run = newRun(scenario);
        try (RunningJob job = RunningJob.ours(ours, backends, scenario, run, 3, 1, null)) {
            toRoundC(job, 5, 2, 3);
            assertScattered(job.keyed());
            savepoint = job.savepoint(savepoints, true);
            lines = new ArrayList<>(run.linesUntil(savepoint.checkpointId));
        }
        Run resumed = resumedRun(scenario, lines);
        try (RunningJob job =
                RunningJob.ours(
                        ours, backends, scenario, resumed, parallelism, 7, savepoint.path)) {
            job.begin(Feed.ROUND_D);
            job.awaitProcessed();
            job.rescale(2, null);
            lines.addAll(job.finish());
        }
        assertSame(lines, reference.lines);
    }

    /** The last checkpoint of ours, after rescales, is restored by Flink's backend. */
    void checkpointToFlink(Scenario scenario, int parallelism) throws Exception {
        Reference reference = reference(scenario);
        Run run = newRun(scenario);
        Savepoint checkpoint = checkpointOfScattered(scenario, run);
        List<String> lines = new ArrayList<>(run.linesUntil(checkpoint.checkpointId));
        Run resumed = resumedRun(scenario, lines);
        try (RunningJob job =
                RunningJob.flinks(
                        flinks, backends, scenario, resumed, parallelism, checkpoint.path)) {
            lines.addAll(job.finish());
        }
        assertSame(lines, reference.lines);
    }

    /** The last checkpoint of an uneven assignment is restored by ours, twice. */
    void checkpointToOurs(Scenario scenario, int parallelism) throws Exception {
        Reference reference = reference(scenario);
        Run run = newRun(scenario);
        Savepoint checkpoint = checkpointOfScattered(scenario, run);
        List<String> lines = new ArrayList<>(run.linesUntil(checkpoint.checkpointId));
        Run resumed = resumedRun(scenario, lines);
        try (RunningJob job =
                RunningJob.ours(
                        ours, backends, scenario, resumed, parallelism, 16, checkpoint.path)) {
            // not as far as records that are late: a restored job knows no watermark at first
            job.begin(Feed.ROUND_D - 1);
            job.awaitProcessed();
            job.rescale(2, 3);
            job.awaitProcessed();
            checkpoint = job.retainedCheckpoint();
            lines.addAll(resumed.linesUntil(checkpoint.checkpointId));
        }
        resumed = resumedRun(scenario, lines);
        try (RunningJob job =
                RunningJob.ours(
                        ours, backends, scenario, resumed, parallelism, 16, checkpoint.path)) {
            lines.addAll(job.finish());
        }
        assertSame(lines, reference.lines);
    }

    private Savepoint checkpointOfScattered(Scenario scenario, Run run) throws Exception {
        try (RunningJob job = RunningJob.ours(ours, backends, scenario, run, 2, 16, null)) {
            toRoundC(job, 3, 5, 2);
            assertScattered(job.keyed());
            return job.retainedCheckpoint();
        }
    }

    // ------------------------------------------------------------------------
    //  Parts of them
    // ------------------------------------------------------------------------

    /** Runs a job to {@link Feed#ROUND_C}, with the given rescales on the way. */
    private void toRoundC(RunningJob job, int... parallelisms) throws Exception {
        job.runTo(Feed.ROUND_B);
        job.run.setClock(Scenario.CLOCK_AT_B);
        int half = parallelisms.length / 2;
        job.begin(Feed.ROUND_B2);
        for (int i = 0; i < half; i++) {
            job.rescale(parallelisms[i], i % 2 == 0 ? null : Integer.valueOf(3));
        }
        job.finishRound(Feed.ROUND_B2);
        job.begin(Feed.ROUND_C);
        for (int i = half; i < parallelisms.length; i++) {
            CompletableFuture<RescaleDetails> rescale =
                    job.beginRescale(parallelisms[i], i % 2 == 0 ? null : Integer.valueOf(3));
            job.run.setClock(Scenario.CLOCK_AT_B2);
            RunningJob.await(rescale);
        }
        job.finishRound(Feed.ROUND_C);
    }

    private Reference reference(Scenario scenario) {
        return references.computeIfAbsent(
                scenario, FunctionUtils.uncheckedFunction(this::runOnFlink));
    }

    private Reference runOnFlink(Scenario scenario) throws Exception {
        Run run = newRun(scenario);
        try (RunningJob job = RunningJob.flinks(flinks, backends, scenario, run, 2, null)) {
            job.runTo(Feed.ROUND_B);
            run.setClock(Scenario.CLOCK_AT_B);
            job.runTo(Feed.ROUND_B2);
            run.setClock(Scenario.CLOCK_AT_B2);
            job.runTo(Feed.ROUND_C);
            Savepoint savepoint = job.savepoint(savepoints, false);
            List<String> lines = job.finish();
            assertThat(lines).as("results on Flink").isNotEmpty();
            return new Reference(lines, run.linesUntil(savepoint.checkpointId), savepoint);
        }
    }

    private static Run newRun(Scenario scenario) {
        return new Run(nextName(scenario), scenario.linesToAwait());
    }

    /** A run of what is left after a savepoint. */
    private static Run resumedRun(Scenario scenario, List<String> already) {
        Run run = new Run(nextName(scenario), scenario.linesToAwait() - already.size());
        run.setClock(Scenario.CLOCK_AT_B2);
        return run;
    }

    private static String nextName(Scenario scenario) {
        return scenario.name + " " + RUNS.incrementAndGet();
    }

    /** The rescales have left a subtask whose key-groups are no range. */
    private static void assertScattered(Elasticity.Vertex vertex) {
        assertThat(vertex.keyGroups())
                .anySatisfy(
                        mine ->
                                assertThat(Collections.max(mine) - Collections.min(mine))
                                        .isGreaterThanOrEqualTo(mine.size()));
    }

    private static void assertSame(List<String> actual, List<String> expected) {
        assertThat(sorted(actual)).containsExactlyElementsOf(sorted(expected));
    }

    private static List<String> sorted(List<String> lines) {
        List<String> sorted = new ArrayList<>(lines);
        Collections.sort(sorted);
        return sorted;
    }

    /** What a scenario gives on Flink. */
    private static final class Reference {
        final List<String> lines;
        final List<String> linesUntilSavepoint;
        final Savepoint savepoint;

        Reference(List<String> lines, List<String> linesUntilSavepoint, Savepoint savepoint) {
            this.lines = lines;
            this.linesUntilSavepoint = new ArrayList<>(linesUntilSavepoint);
            this.savepoint = savepoint;
        }
    }
}
