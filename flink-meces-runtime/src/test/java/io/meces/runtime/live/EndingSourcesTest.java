// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.CheckpointSettings;
import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that go on when one of their sources has ended, before a rescale or amid one. */
@Tag("full")
@Timeout(180)
class EndingSourcesTest {

    /** Else a task waits with its end for a checkpoint. */
    private static final boolean CHECKPOINTS_END = CheckpointSettings.endWithTasks(null) != null;

    private static final String ENDING = "Source: ending";

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private final Doors doors = Doors.of(ledger.name);
    private JobID job;
    private String vertex;

    @BeforeAll
    static void start() throws Exception {
        cluster = Clusters.start(2, 6, new Configuration());
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void cancel() throws Exception {
        doors.end.countDown();
        doors.open.countDown();
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private DataStream<Tuple3<Integer, Integer, Long>> ending(StreamExecutionEnvironment env) {
        return env.addSource(new EndingSource(ledger.name), Jobs.RECORD).name("ending");
    }

    /** A new subtask does not open before it may. */
    private void submit(
            StreamExecutionEnvironment env, DataStream<Tuple3<Integer, Integer, Long>> records)
            throws Exception {
        records.keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .map(new Door(ledger.name))
                .returns(Jobs.RESULT)
                .name("door")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        JobGraph graph = TestGraphs.of(env, "ending sources");
        for (JobVertex v : graph.getVertices()) {
            if (v.getName().startsWith("count")) {
                vertex = v.getName();
            }
        }
        job = cluster.submit(graph);
        Ledger.awaitOrFail("all tasks", () -> Clusters.knowsToRun(cluster, job, 0));
        ledger.awaitResults(1_000);
    }

    private void end() throws Exception {
        doors.end.countDown();
        Ledger.awaitOrFail(
                "the end of a source", () -> Clusters.finished(cluster, job, ENDING) == 2);
    }

    private RescaleDetails rescale(int parallelism) throws Exception {
        return cluster.rescale(job, vertex, parallelism).get(90, TimeUnit.SECONDS);
    }

    private void assertExactWithoutARestart() throws Exception {
        ledger.awaitResults(500);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    @Test
    void aJobInWhichASourceElsewhereHasEndedIsScaledOut() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(200);
        doors.open.countDown();
        ending(env).addSink(new DiscardingSink<>());
        submit(env, Jobs.source(env, ledger, 1_000, Long.MAX_VALUE));
        assertThat(rescale(3).failure()).isNull();
        end();
        if (CHECKPOINTS_END) {
            assertThatThrownBy(() -> rescale(2))
                    .hasMessageContaining("cannot be scaled in: a subtask of '" + ENDING)
                    .hasMessageContaining("Flink 1.12 completes no checkpoint after that")
                    .hasMessageContaining("operator 'door' keeps other than keyed state");
        } else {
            assertThat(rescale(2).failure()).isNull();
        }
        assertThat(rescale(4).failure()).isNull();
        assertExactWithoutARestart();
    }

    @Test
    void newSubtasksThatWaitForASourceWhichEndsAreReplacedByOthers() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(200);
        submit(env, Jobs.source(env, ledger, 1_000, Long.MAX_VALUE).union(ending(env)));
        CompletableFuture<RescaleDetails> rescale = cluster.rescale(job, vertex, 3);
        Ledger.awaitOrFail("the beginning", () -> state() == RescaleState.BEGINNING);
        doors.end.countDown();
        if (CHECKPOINTS_END) {
            end();
        }
        doors.open.countDown();
        RescaleDetails status = rescale.get(90, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        if (CHECKPOINTS_END) {
            assertThat(status.attempt()).isGreaterThan(1);
            assertThat(status.interruption())
                    .startsWith("a subtask of '" + ENDING)
                    .contains("has finished before new subtasks of count");
        } else {
            // the source finishes when there has been a checkpoint, and those are held back
            assertThat(status.interruption()).isNull();
            end();
        }
        assertExactWithoutARestart();
    }

    private RescaleState state() throws Exception {
        List<RescaleDetails> all = cluster.rescales(job).get();
        return all.isEmpty() ? null : all.get(0).state();
    }

    /** What a test has its job wait for. */
    static final class Doors {
        private static final ConcurrentMap<String, Doors> ALL = new ConcurrentHashMap<>();
        final CountDownLatch end = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);

        static Doors of(String name) {
            return ALL.computeIfAbsent(name, n -> new Doors());
        }
    }

    /** Emits nothing and ends when it is told to. */
    private static final class EndingSource
            extends RichParallelSourceFunction<Tuple3<Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final String name;

        EndingSource(String name) {
            this.name = name;
        }

        @Override
        public void run(SourceContext<Tuple3<Integer, Integer, Long>> out) throws Exception {
            out.emitWatermark(Watermark.MAX_WATERMARK);
            Doors.of(name).end.await();
        }

        @Override
        public void cancel() {
            Doors.of(name).end.countDown();
        }
    }

    /** Subtasks from the third on do not open before they may. It may have list state. */
    static final class Door
            extends RichMapFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;
        private final String name;

        Door(String name) {
            this.name = name;
        }

        @Override
        public void open(Configuration parameters) throws Exception {
            if (Subtasks.index(getRuntimeContext()) >= 2) {
                Doors.of(name).open.await();
            }
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            // nothing to begin with
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            // there is none as yet
        }

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(
                Tuple5<Integer, Integer, Long, Long, Integer> record) {
            return record;
        }
    }
}
