// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checkpoints go on after some tasks have finished (FLIP-147), and so do rescales. */
@Timeout(120)
class FinishedTasksTest {

    private static final int KEYS = 500;

    private static final long CHECKPOINT_INTERVAL = 200;

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
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
        if (job != null && !cluster.status(job).get().isTerminalState()) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    /** Counts, in a chain with a function that has union list state, as some sinks do. */
    private void submit(
            StreamExecutionEnvironment env, DataStream<Tuple3<Integer, Integer, Long>> records)
            throws Exception {
        records.keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .map(new Listing())
                .returns(Jobs.RESULT)
                .name("listing")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        JobGraph graph = TestGraphs.of(env, "finished tasks");
        graph.getVertices()
                .forEach(
                        v -> {
                            if (v.getName().startsWith("count")) {
                                vertex = v.getName();
                            }
                        });
        job = cluster.submit(graph);
        Ledger.awaitOrFail("the job", () -> Clusters.knowsToRun(cluster, job, 0));
    }

    private void rescale(int parallelism) throws Exception {
        RescaleDetails status = cluster.rescale(job, vertex, parallelism).get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.interruption()).isNull();
    }

    private boolean isRescaled(int parallelism) throws Exception {
        try {
            rescale(parallelism);
            return true;
        } catch (ExecutionException e) {
            assertThat(e).hasMessageContaining("Ask again when it runs.");
            return false;
        }
    }

    private void awaitEnd() throws Exception {
        Ledger.awaitOrFail(
                "the end of the job", () -> cluster.status(job).get() == JobStatus.FINISHED);
    }

    private void assertNothingLostOrWrong() {
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted).isPositive();
    }

    /** The list state is what a subtask that leaves has to have in a checkpoint. */
    @Test
    void aJobGoesOnFromACheckpointAfterASourceHasFinished() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        DataStream<Tuple3<Integer, Integer, Long>> ending =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, KEYS, 2_000)
                                        .withNumbersFrom(4),
                                Jobs.RECORD)
                        .name("ending");
        submit(env, ending.union(Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)));
        Ledger.awaitOrFail(
                "the end of a source",
                () -> Clusters.finished(cluster, job, "Source: ending") == 2);
        rescale(4);
        Clusters.awaitCheckpointOfNow(cluster, job);
        rescale(1);
        Clusters.awaitCheckpointOfNow(cluster, job);
        rescale(3);
        Clusters.awaitCheckpointOfNow(cluster, job);
        assertThat(Clusters.restarts(cluster, job)).isZero();
        long before = ledger.results.get();
        ledger.failOnce = true;
        Ledger.awaitOrFail("a restart", () -> Clusters.restarts(cluster, job) == 1);
        Clusters.awaitRecovery(cluster, job, ledger, before);
        // the source that had finished is deployed again, and has finished after a checkpoint
        Ledger.awaitOrFail("a rescale", () -> isRescaled(2));
        assertThat(Clusters.restarts(cluster, job)).isEqualTo(1);
        ledger.settle();
        assertNothingLostOrWrong();
    }

    /** It has more subtasks than there ever were. */
    @Test
    void checkpointsGoOnAfterAVertexThatCanBeRescaledHasFinished() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        DataStream<Tuple3<Integer, Integer, Long>> ended =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, KEYS, 1_000)
                                        .withNumbersFrom(4),
                                Jobs.RECORD)
                        .keyBy(r -> r.f0, Types.INT)
                        .map(r -> r)
                        .returns(Jobs.RECORD)
                        .name("ended");
        submit(env, ended.union(Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)));
        Ledger.awaitOrFail(
                "the end of a vertex", () -> Clusters.finished(cluster, job, "ended") == 2);
        Clusters.awaitCheckpointOfNow(cluster, job);
        rescale(4);
        Clusters.awaitCheckpointOfNow(cluster, job);
        assertThat(Clusters.restarts(cluster, job)).isZero();
        ledger.settle();
        assertNothingLostOrWrong();
    }

    /** For which all subtasks must have come to their end in one checkpoint. */
    @Test
    void aJobWithUnionListStateComesToItsEnd() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        submit(env, Jobs.source(env, ledger, KEYS, 20_000));
        ledger.awaitResults(1_000);
        ledger.paused = true;
        rescale(3);
        ledger.paused = false;
        awaitEnd();
        assertNothingLostOrWrong();
    }

    /** Counts records. */
    static final class Listing
            extends RichMapFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;
        private transient ListState<Long> state;
        private long count;

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(
                Tuple5<Integer, Integer, Long, Long, Integer> record) {
            count++;
            return record;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            state.clear();
            state.add(count);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            state =
                    context.getOperatorStateStore()
                            .getUnionListState(new ListStateDescriptor<>("counts", Types.LONG));
        }
    }
}
