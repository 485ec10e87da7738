// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose timers were in RocksDB, where they cannot move, is started again with timers on the
 * heap.
 */
@Tag("full")
@Timeout(300)
class RestoredTimersTest {

    private static final int KEYS = 100;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;
    private JobID job;

    @BeforeEach
    void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        cluster = Clusters.start(2, 4, configuration);
        ledger.rate = 200;
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    private void submit(PriorityQueueStateType timers, boolean withTimers, String savepoint)
            throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(500);
        RocksDBStateBackend backend = new RocksDBStateBackend(directory.toUri(), true);
        backend.setPriorityQueueStateType(timers);
        TestGraphs.setStateBackend(env, backend);
        KeyedStream<Tuple3<Integer, Integer, Long>, Integer> keyed =
                Jobs.source(env, ledger, KEYS, Long.MAX_VALUE).keyBy(r -> r.f0, Types.INT);
        (withTimers ? keyed.process(new WithTimers()) : keyed.map(new WithoutTimers()))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        JobGraph graph = TestGraphs.of(env, "timers");
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        job = cluster.submit(graph);
        ledger.awaitResults(4 * KEYS);
    }

    /** Ends the job. */
    private String savepoint() throws Exception {
        settleExactly();
        String savepoint =
                Savepoints.take(cluster.flink(), job, directory.toUri().toString(), true)
                        .get(60, TimeUnit.SECONDS);
        cluster.flink().requestJobResult(job).get(60, TimeUnit.SECONDS);
        ledger.resume();
        return savepoint;
    }

    private RescaleDetails rescale(int parallelism) throws Exception {
        RescaleDetails end = cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
        ledger.awaitResults(2 * KEYS);
        return end;
    }

    private void settleExactly() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    @Test
    void timersThatTheOperatorAsksForMove() throws Exception {
        submit(PriorityQueueStateType.ROCKSDB, true, null);
        submit(PriorityQueueStateType.HEAP, true, savepoint());
        for (int parallelism : new int[] {4, 1}) {
            assertThat(rescale(parallelism).failure()).isNull();
        }
        settleExactly();
    }

    @Test
    void timersThatNobodyAsksForAreAnObstacleBeforeAnythingIsTouched() throws Exception {
        submit(PriorityQueueStateType.ROCKSDB, true, null);
        submit(PriorityQueueStateType.HEAP, false, savepoint());
        for (int parallelism : new int[] {4, 1}) {
            RescaleDetails end = rescale(parallelism);
            assertThat(end.status()).isEqualTo(RescaleStatus.FAILED);
            assertThat(end.attempt()).isEqualTo(1);
            assertThat(end.failure())
                    .contains("its timers '", "were restored from RocksDB")
                    .contains("timer service of that name in open()");
        }
        settleExactly();
    }

    private static MapStateDescriptor<Integer, Long> folded() {
        return new MapStateDescriptor<>("folded", Types.INT, Types.LONG);
    }

    private static Tuple5<Integer, Integer, Long, Long, Integer> fold(
            Tuple3<Integer, Integer, Long> r, MapState<Integer, Long> folded, int subtask)
            throws Exception {
        Long before = folded.get(r.f1);
        long state = Ledger.nextState(before == null ? 17 : before, r.f2);
        folded.put(r.f1, state);
        return Tuple5.of(r.f0, r.f1, r.f2, state, subtask);
    }

    private static final class WithTimers
            extends KeyedProcessFunction<
                    Integer,
                    Tuple3<Integer, Integer, Long>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            context.timerService().registerEventTimeTimer(context.timestamp() + KEYS);
            out.collect(
                    fold(
                            r,
                            getRuntimeContext().getMapState(folded()),
                            Subtasks.index(getRuntimeContext())));
        }
    }

    private static final class WithoutTimers
            extends RichMapFunction<
                    Tuple3<Integer, Integer, Long>, Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(Tuple3<Integer, Integer, Long> r)
                throws Exception {
            return fold(
                    r,
                    getRuntimeContext().getMapState(folded()),
                    Subtasks.index(getRuntimeContext()));
        }
    }
}
