// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys whose hash code is not the same in all processes: no state may get lost without a word. */
@Tag("full")
@Timeout(180)
class UnstableKeyTest {

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private JobID job;

    @BeforeAll
    static void start() throws Exception {
        cluster = Clusters.start(2, 4, new Configuration());
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @BeforeEach
    void anotherProcess() {
        Place.counters = 4711;
    }

    @AfterEach
    void cancel() throws Exception {
        if (job != null && !cluster.status(job).get().isGloballyTerminalState()) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private StreamExecutionEnvironment environment(int parallelism) {
        StreamExecutionEnvironment env = Jobs.environment(300);
        env.setParallelism(parallelism);
        TestGraphs.neverRestart(env);
        return env;
    }

    private KeyedStream<Tuple3<Integer, Integer, Long>, Place> keyed(
            StreamExecutionEnvironment env) {
        return Jobs.source(env, ledger, 100, Long.MAX_VALUE)
                .keyBy(r -> new Place(r.f0), Types.POJO(Place.class));
    }

    private void submit(StreamExecutionEnvironment env) throws Exception {
        job = cluster.submit(TestGraphs.of(env, "places"));
    }

    private void submitCounting(StreamExecutionEnvironment env) throws Exception {
        keyed(env)
                .process(new AtPlace(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        submit(env);
    }

    private void assertFails() throws Exception {
        Ledger.awaitOrFail("the job fails", () -> cluster.status(job).get() == JobStatus.FAILED);
        ErrorInfo failure = cluster.flink().getExecutionGraph(job).get().getFailureInfo();
        assertTellsWhy(failure.getException().deserializeError(getClass().getClassLoader()));
    }

    private static void assertTellsWhy(Throwable failure) {
        assertThat(ExceptionUtils.stringifyException(failure))
                .contains("hashCode()")
                .contains("must be the same in all processes.");
    }

    @Test
    void aJobWithStateFailsAtTheFirstRecord() throws Exception {
        try {
            submitCounting(environment(2));
        } catch (JobExecutionException e) {
            // it has failed before the submission was answered
            assertTellsWhy(e);
            return;
        }
        assertFails();
    }

    @Test
    void aJobOfOneSubtaskFailsWhenItIsScaledOut() throws Exception {
        submitCounting(environment(1));
        ledger.awaitResults(2_000);
        cluster.rescale(job, "count", 2);
        assertFails();
        assertThat(ledger.verdict().violations).isEmpty();
    }

    @Test
    void aJobOfOneSubtaskFailsWhenItIsRestoredElsewhere() throws Exception {
        StreamExecutionEnvironment env = environment(1);
        TestGraphs.restart(env, 1, 50);
        submitCounting(env);
        ledger.awaitResults(2_000);
        Clusters.awaitCheckpointOfNow(cluster, job);
        Place.counters = 4712;
        ledger.failOnce = true;
        assertFails();
        assertThat(ledger.verdict().violations).isEmpty();
    }

    @Test
    void aJobWithoutStateRunsAsOnAStockFlink() throws Exception {
        StreamExecutionEnvironment env = environment(2);
        keyed(env)
                .map(r -> Tuple5.of(r.f0, r.f1, r.f2, Ledger.expectedState(r.f2), 0))
                .returns(Jobs.RESULT)
                .name("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        submit(env);
        ledger.awaitResults(2_000);
        for (int parallelism : new int[] {3, 2, 4, 1, 3}) {
            RescaleDetails status =
                    cluster.rescale(job, "count", parallelism).get(60, TimeUnit.SECONDS);
            assertThat(status.failure()).isNull();
        }
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    /** As if all counters were in one process, and the sources in another. */
    public static final class Place {
        static volatile int counters;
        public int id;

        public Place() {}

        Place(int id) {
            this.id = id;
        }

        @Override
        public int hashCode() {
            return Thread.currentThread().getName().startsWith("count") ? id * counters : id;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place && ((Place) other).id == id;
        }
    }

    /** Folds the records of each key and source. */
    private static final class AtPlace
            extends KeyedProcessFunction<
                    Place,
                    Tuple3<Integer, Integer, Long>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient Ledger ledger;
        private transient MapState<Integer, Long> folded;

        AtPlace(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            ledger = Ledger.named(ledgerName);
            folded =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
        }

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            if (ledger.failOnce && ledger.failed.compareAndSet(false, true)) {
                throw new IllegalStateException("a failure that the test asked for");
            }
            Long before = folded.get(r.f1);
            long state = Ledger.nextState(before == null ? 17 : before, r.f2);
            folded.put(r.f1, state);
            out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, Subtasks.index(getRuntimeContext())));
        }
    }
}
