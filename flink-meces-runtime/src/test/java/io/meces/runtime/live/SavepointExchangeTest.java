// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.runtime.OpenedReader;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.InputChannelStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.state.api.functions.KeyedStateBootstrapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Savepoints between jobs that are rescaled live and a stock Flink, in both directions. */
@Tag("full")
@Timeout(240)
class SavepointExchangeTest {

    private static final Logger LOG = LoggerFactory.getLogger(SavepointExchangeTest.class);
    private static final int KEYS = 1_000;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster elastic;
    private MiniCluster stock;

    @BeforeEach
    void start() throws Exception {
        elastic = Clusters.start(1, 8, new Configuration());
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        configuration.set(RestOptions.PORT, 0);
        stock =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(128)
                                .build());
        stock.start();
    }

    @AfterEach
    void stop() throws Exception {
        elastic.close();
        stock.close();
    }

    private JobGraph job(StateBackend backend, int parallelism, String savepoint) {
        StreamExecutionEnvironment env = Jobs.environment(0);
        TestGraphs.setStateBackend(env, backend);
        Jobs.count(Jobs.source(env, ledger, KEYS, Long.MAX_VALUE), ledger, parallelism);
        JobGraph graph = TestGraphs.of(env, "savepoints");
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        return graph;
    }

    /** Leaves scattered key-groups behind, takes a savepoint and ends the job. */
    private String savepointOfScattered(JobID job) throws Exception {
        Clusters.awaitRunning(elastic, job);
        for (int parallelism : new int[] {5, 2, 3}) {
            assertThat(
                            elastic.rescale(job, "count", parallelism)
                                    .get(60, TimeUnit.SECONDS)
                                    .failure())
                    .isNull();
            ledger.awaitResults(2_000);
        }
        assertExact();
        return savepoint(elastic.flink(), job);
    }

    private String savepoint(MiniCluster cluster, JobID job) throws Exception {
        String savepoint =
                Savepoints.take(cluster, job, directory.toUri().toString(), true)
                        .get(60, TimeUnit.SECONDS);
        cluster.requestJobResult(job).get(60, TimeUnit.SECONDS);
        return savepoint;
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    /** How many records each key has had, by what the sources have emitted. */
    private Map<Integer, Long> expectedCounts(long more) {
        Map<Integer, Long> counts = new TreeMap<>();
        for (int key = 0; key < KEYS; key++) {
            long n = more;
            for (int source = 0; source < 2; source++) {
                n += (ledger.emitted.get(source) + KEYS - 1 - key) / KEYS;
            }
            counts.put(key, n);
        }
        return counts;
    }

    /** What the State Processor API reads; a key that it reads twice is there twice. */
    private static List<Tuple3<Integer, Long, Integer>> read(String savepoint) throws Exception {
        List<Tuple3<Integer, Long, Integer>> read =
                Savepoints.readKeyed(savepoint, "count", new CountReader());
        List<Tuple3<Integer, Long, Integer>> sorted = new ArrayList<>(read);
        sorted.sort((a, b) -> a.f0.compareTo(b.f0));
        return sorted;
    }

    private static void assertCounts(String savepoint, Map<Integer, Long> expected)
            throws Exception {
        List<Tuple3<Integer, Long, Integer>> read = read(savepoint);
        assertThat(read).hasSize(expected.size());
        for (Tuple3<Integer, Long, Integer> key : read) {
            assertThat(key.f1).as("count of key %s", key.f0).isEqualTo(expected.get(key.f0));
        }
    }

    private static List<OperatorState> metadata(String savepoint) throws Exception {
        Path metadata = Paths.get(URI.create(savepoint)).resolve("_metadata");
        try (DataInputStream in = new DataInputStream(Files.newInputStream(metadata))) {
            return new ArrayList<>(
                    Checkpoints.loadCheckpointMetadata(
                                    in,
                                    SavepointExchangeTest.class.getClassLoader(),
                                    Paths.get(URI.create(savepoint)).toString())
                            .getOperatorStates());
        }
    }

    private static long bytes(String savepoint) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(Paths.get(URI.create(savepoint)))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    /** The parallelism of the operator with keyed state, as the metadata tell it. */
    private static int shownParallelism(String savepoint) throws Exception {
        for (OperatorState state : metadata(savepoint)) {
            if (state.getStates().stream().anyMatch(s -> s.getManagedKeyedState().hasState())) {
                return state.getParallelism();
            }
        }
        throw new AssertionError("no keyed state in " + savepoint);
    }

    @Test
    void aStockFlinkResumesAtAnyParallelismAndBack() throws Exception {
        JobID job = elastic.submit(job(new MecesStateBackend(), 2, null));
        ledger.awaitResults(3_000);
        String savepoint = savepointOfScattered(job);
        assertCounts(savepoint, expectedCounts(0));
        int shown = shownParallelism(savepoint);
        assertThat(shown).isBetween(3, 128);

        // as many subtasks as ours had, then as many as the metadata name, then others
        for (int parallelism : new int[] {3, shown, 1, 4}) {
            ledger.paused = false;
            JobGraph graph =
                    job(
                            new FsStateBackend(directory.resolve("stock").toUri()),
                            parallelism,
                            savepoint);
            stock.runDetached(graph);
            ledger.awaitResults(3_000);
            assertExact();
            savepoint = savepoint(stock, graph.getJobID());
            assertCounts(savepoint, expectedCounts(0));

            ledger.paused = false;
            job = elastic.submit(job(new MecesStateBackend(), 2, savepoint));
            ledger.awaitResults(1_000);
            savepoint = savepointOfScattered(job);
        }
        assertCounts(savepoint, expectedCounts(0));
    }

    /** State that is in the metadata brings a copy of its serializers with each slice. */
    @ParameterizedTest
    @CsvSource({"files, 500", "metadata, 4000"})
    void contentsAndSizeAreThoseOfAStockJob(String where, int bytesPerSlice) throws Exception {
        boolean files = where.equals("files");
        String checkpoints = directory.resolve("checkpoints").toUri().toString();
        MecesStateBackend ours =
                files ? new MecesStateBackend(checkpoints) : new MecesStateBackend();
        JobID job = elastic.submit(job(ours, 3, null));
        ledger.awaitResults(3_000);
        String untouched =
                Savepoints.take(elastic.flink(), job, directory.toUri().toString(), false)
                        .get(60, TimeUnit.SECONDS);
        assertThat(shownParallelism(untouched)).isEqualTo(3);
        String scattered = savepointOfScattered(job);

        StateBackend heap =
                files ? new FsStateBackend(checkpoints) : new MemoryStateBackend(10 << 20);
        JobGraph graph = job(heap, 3, scattered);
        ledger.paused = true;
        stock.runDetached(graph);
        Ledger.awaitOrFail("the job", () -> allRun(graph.getJobID()));
        String ofStock = savepoint(stock, graph.getJobID());
        assertThat(read(scattered)).isNotEmpty().isEqualTo(read(ofStock));
        LOG.info(
                "Bytes of a savepoint, state in {}: stock {}, ours {}, shown at parallelism {}",
                where,
                bytes(ofStock),
                bytes(scattered),
                shownParallelism(scattered));
        assertThat(bytes(scattered) - bytes(ofStock))
                .isLessThan((long) bytesPerSlice * shownParallelism(scattered));
    }

    private boolean allRun(JobID job) throws Exception {
        // a job that is being initialized has no vertices
        if (stock.getJobStatus(job).get() != JobStatus.RUNNING) {
            return false;
        }
        for (AccessExecutionVertex v :
                stock.getExecutionGraph(job).get().getAllExecutionVertices()) {
            if (v.getExecutionState() != ExecutionState.RUNNING) {
                return false;
            }
        }
        return true;
    }

    @Test
    void resumesWhatTheStateProcessorApiHasWritten() throws Exception {
        String written = directory.resolve("written").toUri().toString();
        Savepoints.write(written, "count", Jobs.MAX_PARALLELISM, KEYS, new CountWriter());

        JobID job = elastic.submit(job(new MecesStateBackend(), 2, written));
        ledger.awaitResults(3_000);
        String savepoint = savepointOfScattered(job);
        assertCounts(savepoint, expectedCounts(1_000_000));
    }

    @Test
    void refusesACheckpointWithRecordsInFlight() throws Exception {
        JobID job = elastic.submit(job(new MecesStateBackend(), 2, null));
        ledger.awaitResults(1_000);
        assertExact();
        List<OperatorState> states = metadata(savepoint(elastic.flink(), job));
        OperatorSubtaskState inFlight =
                OperatorSubtaskState.builder()
                        .setInputChannelState(
                                StateObjectCollection.singleton(
                                        new InputChannelStateHandle(
                                                new InputChannelInfo(0, 0),
                                                new ByteStreamStateHandle("flight", new byte[8]),
                                                Collections.singletonList(0L))))
                        .build();
        states.forEach(
                state -> {
                    OperatorSubtaskState first = state.getState(0);
                    if (first != null && first.getManagedKeyedState().hasState()) {
                        state.putState(0, inFlight);
                    }
                });
        Path unaligned = Files.createDirectory(directory.resolve("unaligned"));
        try (DataOutputStream out =
                new DataOutputStream(Files.newOutputStream(unaligned.resolve("_metadata")))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(1, states, Collections.emptyList()), out);
        }
        assertThatThrownBy(
                        () ->
                                elastic.submit(
                                        job(
                                                new MecesStateBackend(),
                                                2,
                                                unaligned.toUri().toString())))
                .hasStackTraceContaining("is unaligned and has records in flight");
    }

    /** Reads (key, count, number of sources). */
    private static final class CountReader
            extends OpenedReader<Integer, Tuple3<Integer, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Long> count;
        private transient MapState<Integer, Long> last;

        @Override
        protected void opened() {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
            last =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("last", Types.INT, Types.LONG));
        }

        @Override
        public void readKey(
                Integer key, Context context, Collector<Tuple3<Integer, Long, Integer>> out)
                throws Exception {
            int sources = 0;
            for (Integer ignored : last.keys()) {
                sources++;
            }
            out.collect(Tuple3.of(key, count.value(), sources));
        }
    }

    /** Has each key begin with a count of a million. */
    private static final class CountWriter extends KeyedStateBootstrapFunction<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Integer key, Context context) throws Exception {
            getRuntimeContext()
                    .getState(new ValueStateDescriptor<>("count", Types.LONG))
                    .update(1_000_000L);
        }
    }
}
