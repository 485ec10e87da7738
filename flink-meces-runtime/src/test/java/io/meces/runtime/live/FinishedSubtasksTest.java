// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that go on although some of the subtasks that a vertex reads from have finished. */
@Tag("full")
@Timeout(180)
class FinishedSubtasksTest {

    private static final int KEYS = 500;
    private static final long CHECKPOINT_INTERVAL = 200;

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private JobID job;

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
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    /** What is between a source of which a subtask ends, and the vertex that is rescaled. */
    enum Between {
        NOTHING {
            @Override
            DataStream<Tuple3<Integer, Integer, Long>> after(
                    DataStream<Tuple3<Integer, Integer, Long>> source) {
                return source;
            }
        },
        /** Its subtask ends with that of the source. */
        FORWARD {
            @Override
            DataStream<Tuple3<Integer, Integer, Long>> after(
                    DataStream<Tuple3<Integer, Integer, Long>> source) {
                return source.map(r -> r).returns(Jobs.RECORD).name("between").startNewChain();
            }
        },
        /** It does not end, as it reads from all subtasks of the source. */
        REBALANCE {
            @Override
            DataStream<Tuple3<Integer, Integer, Long>> after(
                    DataStream<Tuple3<Integer, Integer, Long>> source) {
                // only one keeps the records of a key in order
                return source.rebalance()
                        .map(r -> r)
                        .returns(Jobs.RECORD)
                        .name("between")
                        .setParallelism(1);
            }
        };

        abstract DataStream<Tuple3<Integer, Integer, Long>> after(
                DataStream<Tuple3<Integer, Integer, Long>> source);
    }

    private void submit(StreamExecutionEnvironment env, int ended) throws Exception {
        job = cluster.submit(TestGraphs.of(env, "finished subtasks"));
        Ledger.awaitOrFail(
                "the end of a part of the sources",
                () -> Clusters.finished(cluster, job, "Source: ") == ended);
        ledger.awaitResults(500);
    }

    private void rescale(String vertex, int parallelism) throws Exception {
        RescaleDetails status = cluster.rescale(job, vertex, parallelism).get(90, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.interruption()).isNull();
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal()).isPositive();
        awaitEventTime();
    }

    /** A subtask that waits for the event time of one that has finished would stop it for good. */
    private void awaitEventTime() throws Exception {
        long now = ledger.emitted.get(0);
        Ledger.awaitOrFail("event time", () -> ledger.watermark.get() > now);
    }

    private void assertExactWithoutARestart() throws Exception {
        ledger.awaitResults(500);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(ledger.late.get()).isZero();
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    private void submitCounting(Between between, long checkpointInterval) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(checkpointInterval);
        Jobs.count(
                between.after(Jobs.sourceThatEndsInPart(env, ledger, KEYS, 1_000)),
                ledger,
                env.getParallelism());
        submit(env, 1);
    }

    @ParameterizedTest
    @EnumSource
    void rescalesOutAndInWhenASubtaskOfTheSourceHasFinished(Between between) throws Exception {
        submitCounting(between, CHECKPOINT_INTERVAL);
        rescale("count", 3);
        ledger.awaitResults(1_000);
        assertThat(ledger.resultsBySubtask.get(2)).isPositive();
        rescale("count", 2);
        int gone = ledger.resultsBySubtask.get(2);
        rescale("count", 4);
        rescale("count", 1);
        rescale("count", 2);
        assertThat(ledger.resultsBySubtask.get(2)).isGreaterThanOrEqualTo(gone);
        assertExactWithoutARestart();
    }

    @Test
    void rescalesOutAndInWithoutCheckpoints() throws Exception {
        submitCounting(Between.NOTHING, 0);
        rescale("count", 3);
        rescale("count", 2);
        assertExactWithoutARestart();
    }

    @Test
    void aRestartAfterwardsBringsNothingTwiceAndLosesNothing() throws Exception {
        submitCounting(Between.NOTHING, CHECKPOINT_INTERVAL);
        rescale("count", 3);
        rescale("count", 2);
        long before = ledger.results.get();
        ledger.failOnce = true;
        Ledger.awaitOrFail("a restart", () -> Clusters.restarts(cluster, job) == 1);
        Clusters.awaitRecovery(cluster, job, ledger, before);
        Ledger.awaitOrFail(
                "the end of a part of the sources",
                () ->
                        Clusters.finished(cluster, job, "Source: ") == 1
                                && ledger.verdict().distinct > 0);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void rescalesAVertexOfWhichOneInputHasEndedAsAWhole() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        DataStream<Tuple3<Integer, Integer, Long>> left =
                Jobs.source(env, ledger, KEYS, Long.MAX_VALUE);
        DataStream<Tuple3<Integer, Integer, Long>> right =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, KEYS, 1_000)
                                        .withNumbersFrom(4),
                                Jobs.RECORD)
                        .name("right");
        right.keyBy(r -> r.f0, Types.INT)
                .connect(left.keyBy(r -> r.f0, Types.INT))
                .process(new Jobs.TwoInputCounter(ledger.name))
                .returns(Jobs.RESULT)
                .name("connected")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        submit(env, 2);
        rescale("connected", 3);
        rescale("connected", 2);
        rescale("connected", 4);
        assertExactWithoutARestart();
    }

    @Test
    void rescalesAVertexBehindAUnionOfWhichOnePartHasEnded() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        DataStream<Tuple3<Integer, Integer, Long>> ending =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, KEYS, 1_000)
                                        .withNumbersFrom(4),
                                Jobs.RECORD)
                        .name("ending");
        Jobs.count(
                ending.union(Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)),
                ledger,
                env.getParallelism());
        submit(env, 2);
        rescale("count", 3);
        rescale("count", 2);
        assertExactWithoutARestart();
    }

    @Test
    void rescalesTwoVerticesInARow() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        Jobs.sourceThatEndsInPart(env, ledger, KEYS, 1_000)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .keyBy(r -> r.f0, Types.INT)
                .filter(r -> true)
                .name("second")
                .keyBy(r -> r.f0, Types.INT)
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        submit(env, 1);
        rescale("second", 3);
        rescale("count", 3);
        rescale("second", 2);
        rescale("count", 1);
        assertExactWithoutARestart();
    }

    @Test
    void aVertexThatHasNothingLeftToReadIsRefusedByItsName() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        Jobs.source(env, ledger, KEYS, Long.MAX_VALUE).rebalance().addSink(new DiscardingSink<>());
        env.addSource(
                        new Jobs.SequenceSource(ledger.name, KEYS, 1_000).withNumbersFrom(4),
                        Jobs.RECORD)
                .name("ending")
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        job = cluster.submit(TestGraphs.of(env, "finished subtasks"));
        Ledger.awaitOrFail(
                "the end of the vertex", () -> Clusters.finished(cluster, job, "count") == 2);
        assertThatThrownBy(() -> rescale("count", 3))
                .hasMessageContaining("Vertex count (")
                .hasMessageContaining("has come to its end: all that it reads from has finished.");
    }
}
