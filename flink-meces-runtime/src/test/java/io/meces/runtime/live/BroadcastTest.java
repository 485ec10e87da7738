// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Broadcast records come once to each subtask and to each key, whatever is rescaled meanwhile; the
 * results are those of the same job never rescaled.
 */
@Timeout(180)
class BroadcastTest {

    private static final int KEYS = 100;
    private static final long RECORDS = 20_000;
    private static final long RULES = 4_000;

    /** So that the rescales come to their end before the records do. */
    private static final int SLOW = 2_000;

    private static final int FAST = 20_000;

    private static MecesMiniCluster cluster;
    private static Collection<String> neverRescaled;

    @BeforeAll
    static void start() throws Exception {
        cluster = Clusters.start(2, 6, new Configuration());
        neverRescaled = run(new Ledger(), 300, job -> {});
        assertThat(neverRescaled)
                .hasSize(KEYS)
                .allMatch(line -> line.contains("applied {4=" + RULES + ", 5=" + RULES + "}"))
                .allMatch(line -> line.endsWith("counted {4=" + RULES + ", 5=" + RULES + "}"));
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    /** What happens while a job runs. */
    private interface Script {
        void play(JobID job) throws Exception;
    }

    /** Runs a job to its end; returns what each key says there. */
    private static Collection<String> run(Ledger ledger, long checkpointInterval, Script script)
            throws Exception {
        ledger.rate = SLOW;
        JobID job = cluster.submit(TestGraphs.of(job(ledger, checkpointInterval), "broadcast"));
        Ledger.awaitOrFail(
                "the job runs",
                () -> ledger.emitted.get(4) > 50 && Clusters.knowsToRun(cluster, job, 0));
        script.play(job);
        assertThat(cluster.status(job).get()).as("still running").isEqualTo(JobStatus.RUNNING);
        ledger.rate = FAST;
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get().isGloballyTerminalState());
        assertThat(cluster.status(job).get()).isEqualTo(JobStatus.FINISHED);
        assertThat(ledger.verdict().violations).isEmpty();
        assertThat(ledger.verdict().distinct).isEqualTo(2 * RECORDS);
        return TextSink.sorted(ledger.name);
    }

    /** Keyed records from sources 0 and 1, broadcast records from 4 and 5. */
    private static StreamExecutionEnvironment job(Ledger ledger, long checkpointInterval) {
        StreamExecutionEnvironment env = Jobs.environment(checkpointInterval);
        BroadcastStream<Tuple3<Integer, Integer, Long>> rules =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, 1, RULES)
                                        .withNumbersFrom(4)
                                        .slowerBy(5),
                                Jobs.RECORD)
                        .name("rule source")
                        .uid("rule source")
                        .broadcast(BroadcastCounter.COUNTS);
        SingleOutputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>> results =
                Jobs.source(env, ledger, KEYS, RECORDS)
                        .keyBy(r -> r.f0, Types.INT)
                        .connect(rules)
                        .process(new BroadcastCounter(ledger.name, 4, 5))
                        .returns(Jobs.RESULT)
                        .name("rules")
                        .uid("rules");
        results.rebalance().addSink(new Jobs.Books(ledger.name)).name("books").uid("books");
        results.getSideOutput(BroadcastCounter.AT_THE_END)
                .rebalance()
                .addSink(new TextSink(ledger.name))
                .name("at the end")
                .uid("at the end");
        results.getSideOutput(BroadcastCounter.OF_BROADCAST_RECORDS)
                .addSink(new BroadcastResults(ledger.name))
                .disableChaining()
                .name("of broadcast records")
                .uid("of broadcast records");
        return env;
    }

    private static void rescale(JobID job, int parallelism) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, "rules", parallelism).get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
    }

    @Test
    void newSubtasksGetTheBroadcastStateAndNoKeyMissesARecord() throws Exception {
        Ledger ledger = new Ledger();
        Collection<String> rescaled =
                run(
                        ledger,
                        300,
                        job -> {
                            rescale(job, 4);
                            rescale(job, 1);
                            rescale(job, 3);
                            rescale(job, 4);
                            rescale(job, 2);
                        });
        assertThat(rescaled).isEqualTo(neverRescaled);
        assertThat(ledger.verdict().duplicated).isZero();
    }

    @Test
    void aFailureInTheMiddleOfARescaleAppliesNothingTwice() throws Exception {
        Ledger ledger = new Ledger();
        Collection<String> rescaled =
                run(
                        ledger,
                        300,
                        job -> {
                            CompletableFuture<RescaleDetails> rescale =
                                    cluster.rescale(job, inSmallSteps(4));
                            Ledger.awaitOrFail("migration", () -> steps(job) > 2);
                            ledger.failOnce = true;
                            RescaleDetails resumed = rescale.get(60, TimeUnit.SECONDS);
                            assertThat(resumed.failure()).isNull();
                            assertThat(resumed.attempt()).isEqualTo(2);
                            rescale(job, 3);
                            rescale(job, 2);
                        });
        assertThat(rescaled).isEqualTo(neverRescaled);
    }

    /** Without checkpoints: those that are due between two steps take long then. */
    @Test
    void underBackPressureNoKeyMissesARecord() throws Exception {
        Ledger ledger = new Ledger();
        Collection<String> rescaled =
                run(
                        ledger,
                        0,
                        job -> {
                            // four times as much as two subtasks can do
                            ledger.workNanos = 2_000_000;
                            ledger.awaitResults(500);
                            rescale(job, 4);
                            rescale(job, 2);
                            ledger.workNanos = 0;
                        });
        assertThat(rescaled).isEqualTo(neverRescaled);
        assertThat(ledger.verdict().duplicated).isZero();
    }

    private static RescaleRequest inSmallSteps(int parallelism) {
        return RescaleRequest.of(RescaleRequest.Target.byName("rules", parallelism))
                .withBatchSize(1);
    }

    private static int steps(JobID job) throws Exception {
        List<RescaleDetails> all = cluster.rescales(job).get();
        return all.isEmpty() ? 0 : all.get(0).stepsCompleted();
    }
}
