// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.BucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.RollingPolicy;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.SimpleVersionedStringSerializer;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.DefaultRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What file sinks in the chain of a keyed operator leave in their directory. */
@Timeout(240)
class FileSinksTest {

    private static final int KEYS = 50;
    private static final int HIGHEST_PARALLELISM = 5;
    private static final OutputFileConfig NAMES =
            OutputFileConfig.builder().withPartPrefix("count").withPartSuffix(".txt").build();

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private final List<Long> expectedStates = new ArrayList<>();
    private MecesMiniCluster elastic;
    private MiniCluster stock;
    private JobID job;
    private String vertex;
    private int parallelism = 2;

    @BeforeEach
    void start() throws Exception {
        ledger.rate = 500;
        elastic = Clusters.start(2, 6, new Configuration());
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        configuration.set(RestOptions.PORT, 0);
        stock =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(3)
                                .build());
        stock.start();
    }

    @AfterEach
    void stop() throws Exception {
        elastic.close();
        stock.close();
    }

    @Test
    void numberedFilesDoNotClash() throws Exception {
        assertEachResultIsOnceInAFileThatIsFinished("StreamingFileSink", "by size", 1);
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "FileSink, at checkpoints, 2",
        "FileSink, by size, 3",
        "StreamingFileSink, at checkpoints, 4",
        "StreamingFileSink, by size, 5"
    })
    void eachResultIsOnceInAFileThatIsFinished(String sink, String rolls, long seed)
            throws Exception {
        assertEachResultIsOnceInAFileThatIsFinished(sink, rolls, seed);
    }

    private void assertEachResultIsOnceInAFileThatIsFinished(String sink, String rolls, long seed)
            throws Exception {
        Random random = new Random(seed);
        JobGraph graph = graph(sink, rolls, parallelism, null, null);
        for (JobVertex v : graph.getVertices()) {
            vertex = v.getName().startsWith("count") ? v.getName() : vertex;
        }
        assertThat(vertex).contains("files");
        job = elastic.submit(graph);
        awaitLines(200);
        for (int i = 0; i < 6; i++) {
            rescale(random, false);
            Clusters.awaitCheckpointOfNow(elastic, job);
        }
        assertExact();
        // also of subtasks that have left
        Ledger.await(() -> files(true).isEmpty(), 30_000);
        assertThat(Clusters.restarts(elastic, job)).isZero();
        assertThat(files(true)).isEmpty();

        ledger.paused = false;
        for (int i = 0; i < 4; i++) {
            // before a checkpoint, after one; amid a rescale, and after it
            if (random.nextBoolean()) {
                Clusters.awaitCheckpointOfNow(elastic, job);
            }
            rescale(random, i % 2 == 0);
        }
        ledger.failed.set(false);
        ledger.failOnce = true;
        int restarts = Clusters.restarts(elastic, job);
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(elastic, job) > restarts);
        Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(elastic, job, restarts + 1));
        ledger.failOnce = false;
        rescale(random, false);
        assertExact();

        ledger.paused = false;
        awaitLines(200);
        rescale(random, false);
        String savepoint =
                Savepoints.take(
                                elastic.flink(),
                                job,
                                directory.resolve("savepoints").toUri() + "",
                                true)
                        .get(60, TimeUnit.SECONDS);
        elastic.flink().requestJobResult(job).get(60, TimeUnit.SECONDS);
        stock.runDetached(graph(sink, rolls, 3, new MemoryStateBackend(10 << 20), savepoint));
        awaitLines(200);
        assertExact();
    }

    private JobGraph graph(
            String sink, String rolls, int subtasks, StateBackend backend, String savepoint) {
        StreamExecutionEnvironment env = Jobs.environment(200);
        if (backend != null) {
            TestGraphs.setStateBackend(env, backend);
        }
        DataStream<Tuple5<Integer, Integer, Long, Long, Integer>> results =
                Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)
                        .keyBy(r -> r.f0, Types.INT)
                        .process(new Jobs.Counter(ledger.name))
                        .returns(Jobs.RESULT)
                        .setParallelism(subtasks)
                        .name("count")
                        .uid("count");
        RollingPolicy<Tuple5<Integer, Integer, Long, Long, Integer>, String> policy =
                rolls.equals("by size")
                        ? DefaultRollingPolicy.builder()
                                .withMaxPartSize(2_000)
                                .withInactivityInterval(2_000)
                                .build()
                        : OnCheckpointRollingPolicy.build();
        org.apache.flink.core.fs.Path path = new org.apache.flink.core.fs.Path(output().toUri());
        if (sink.equals("FileSink")) {
            results.sinkTo(
                            FileSink.forRowFormat(
                                            path,
                                            new SimpleStringEncoder<
                                                    Tuple5<
                                                            Integer,
                                                            Integer,
                                                            Long,
                                                            Long,
                                                            Integer>>())
                                    .withBucketAssigner(new ByKey())
                                    .withRollingPolicy(policy)
                                    .withBucketCheckInterval(100)
                                    .withOutputFileConfig(NAMES)
                                    .build())
                    .setParallelism(subtasks)
                    .name("files")
                    .uid("files");
        } else {
            results.addSink(
                            StreamingFileSink.forRowFormat(
                                            path,
                                            new SimpleStringEncoder<
                                                    Tuple5<
                                                            Integer,
                                                            Integer,
                                                            Long,
                                                            Long,
                                                            Integer>>())
                                    .withBucketAssigner(new ByKey())
                                    .withRollingPolicy(policy)
                                    .withBucketCheckInterval(100)
                                    .withOutputFileConfig(NAMES)
                                    .build())
                    .setParallelism(subtasks)
                    .name("files")
                    .uid("files");
        }
        JobGraph graph = TestGraphs.of(env, "files");
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        return graph;
    }

    /** To another parallelism; a task may fail in the middle of it. */
    private void rescale(Random random, boolean fails) throws Exception {
        int other = 1 + random.nextInt(HIGHEST_PARALLELISM - 1);
        parallelism = other < parallelism ? other : other + 1;
        int before = Clusters.restarts(elastic, job);
        int rescales = elastic.rescales(job).get().size();
        CompletableFuture<RescaleDetails> rescaled = elastic.rescale(job, vertex, parallelism);
        if (fails) {
            Ledger.awaitOrFail("the rescale", () -> elastic.rescales(job).get().size() > rescales);
            ledger.failed.set(false);
            ledger.failOnce = true;
        }
        RescaleDetails end = rescaled.get(60, TimeUnit.SECONDS);
        assertThat(end.failure()).isNull();
        assertThat(end.status()).isEqualTo(RescaleStatus.FINISHED);
        ledger.failOnce = false;
        if (fails) {
            assertThat(ledger.failed).isTrue();
            // it may have come right after the end of the rescale
            Ledger.awaitOrFail("the restart", () -> Clusters.restarts(elastic, job) > before);
            int restarts = Clusters.restarts(elastic, job);
            Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(elastic, job, restarts));
        }
        awaitLines(20);
    }

    private Path output() {
        return directory.resolve("output");
    }

    /** Files that are in progress or wait for their commit, or those that are finished. */
    private List<Path> files(boolean hidden) throws IOException {
        if (!Files.exists(output())) {
            return new ArrayList<>();
        }
        try (Stream<Path> all = Files.walk(output())) {
            return all.filter(
                            file ->
                                    !Files.isDirectory(file)
                                            && file.getFileName().toString().startsWith(".")
                                                    == hidden)
                    .collect(Collectors.toList());
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                // renamed meanwhile
                return files(hidden);
            }
            throw e;
        }
    }

    private long lines() throws IOException {
        long lines = 0;
        for (Path file : files(false)) {
            lines += Files.readAllLines(file).size();
        }
        return lines;
    }

    private void awaitLines(long more) throws Exception {
        long enough = lines() + more;
        Ledger.awaitOrFail("more in the files", () -> lines() >= enough);
    }

    /** Stops the sources, and waits until all that they have emitted is in finished files. */
    private void assertExact() throws Exception {
        ledger.paused = true;
        long emitted;
        do {
            emitted = emitted();
            Ledger.await(() -> lines() >= emitted(), 30_000);
        } while (emitted != emitted());
        Set<String> all = new HashSet<>();
        for (Path file : files(false)) {
            Map<String, Long> last = new HashMap<>();
            for (String line :
                    new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n")) {
                String[] fields = line.substring(1, line.length() - 1).split(",");
                String keyAndSource = fields[0] + " of " + fields[1];
                long seq = Long.parseLong(fields[2]);
                assertThat(all.add(keyAndSource + ": " + seq)).as("once: %s", line).isTrue();
                assertThat(Long.parseLong(fields[3])).as(line).isEqualTo(expectedState(seq));
                Long before = last.put(keyAndSource, seq);
                assertThat(before == null || before < seq)
                        .as("%s after %s in %s", line, before, file)
                        .isTrue();
                assertThat(file.getParent().getFileName())
                        .hasToString("bucket-" + Integer.parseInt(fields[0]) % 3);
            }
            assertThat(file.getFileName().toString()).startsWith("count-").endsWith(".txt");
        }
        assertThat((long) all.size()).isEqualTo(emitted());
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.violations).isEmpty();
    }

    private long emitted() {
        return ledger.emitted.get(0) + ledger.emitted.get(1);
    }

    private long expectedState(long seq) {
        while (expectedStates.size() <= seq) {
            int next = expectedStates.size();
            expectedStates.add(
                    Ledger.nextState(next == 0 ? 17 : expectedStates.get(next - 1), next));
        }
        return expectedStates.get((int) seq);
    }

    /** Three directories, so that each subtask has several files in progress. */
    private static final class ByKey
            implements BucketAssigner<Tuple5<Integer, Integer, Long, Long, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String getBucketId(
                Tuple5<Integer, Integer, Long, Long, Integer> result, Context context) {
            return "bucket-" + result.f0 % 3;
        }

        @Override
        public SimpleVersionedSerializer<String> getSerializer() {
            return SimpleVersionedStringSerializer.INSTANCE;
        }
    }
}
