// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.ForgetsKeys;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A function with a cache in front of its state, whose keys leave and come back. */
@Tag("full")
@Timeout(180)
class ForgetsKeysTest {

    @Test
    void aFunctionWithACacheGivesTheRightResults() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(300);
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Cached(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        try (MecesMiniCluster cluster = Clusters.start(2, 4, new Configuration())) {
            JobID job = cluster.submit(TestGraphs.of(env, "cached"));
            ledger.awaitResults(4_000);
            for (int parallelism : new int[] {4, 2, 3, 1, 2}) {
                RescaleDetails status =
                        cluster.rescale(job, "count", parallelism).get(60, TimeUnit.SECONDS);
                assertThat(status.failure()).isNull();
                ledger.awaitResults(4_000);
            }
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(cluster.elasticity(job).get().warnings()).isEmpty();
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    /** Its function needs longer to forget than a step may take. */
    @Test
    void aStepThatTakesTooLongDoesNotEndAJobThatCannotRestart() throws Exception {
        Duration limit = Duration.ofSeconds(5);
        Ledger ledger = new Ledger();
        CountDownLatch door = new CountDownLatch(1);
        DOORS.put(ledger.name, door);
        StreamExecutionEnvironment env = Jobs.environment(300);
        TestGraphs.neverRestart(env);
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Cached(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name));
        Configuration config = new Configuration();
        config.set(MecesOptions.STEP_TIMEOUT, limit);
        try (MecesMiniCluster cluster = Clusters.start(2, 4, config)) {
            JobID job = cluster.submit(TestGraphs.of(env, "slow"));
            ledger.awaitResults(1_000);
            CompletableFuture<RescaleDetails> rescale = cluster.rescale(job, "count", 4);
            Ledger.awaitOrFail(
                    "a step",
                    () ->
                            cluster.rescales(job).get().stream()
                                    .anyMatch(r -> r.state() == RescaleState.MIGRATING));
            long end = System.nanoTime() + 2 * limit.toNanos();
            Ledger.awaitOrFail("twice the limit", () -> System.nanoTime() > end);
            assertThat(cluster.status(job).get()).isEqualTo(JobStatus.RUNNING);
            assertThat(rescale).isNotDone();
            door.countDown();
            assertThat(rescale.get(60, TimeUnit.SECONDS).status())
                    .isEqualTo(RescaleStatus.FINISHED);
            ledger.awaitResults(1_000);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        } finally {
            door.countDown();
            DOORS.remove(ledger.name);
        }
    }

    /** By ledger: what keys are forgotten behind. */
    private static final Map<String, CountDownLatch> DOORS = new ConcurrentHashMap<>();

    /** Folds the records of each key and source. */
    private static final class Cached
            extends KeyedProcessFunction<
                    Integer,
                    Tuple3<Integer, Integer, Long>,
                    Tuple5<Integer, Integer, Long, Long, Integer>>
            implements ForgetsKeys {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient Map<Tuple2<Integer, Integer>, Long> cache;
        private transient MapState<Integer, Long> folded;
        private transient Thread task;

        Cached(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            cache = new HashMap<>();
            task = Thread.currentThread();
            folded =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
        }

        @Override
        public void forgetKeys() throws InterruptedException {
            CountDownLatch door = DOORS.get(ledgerName);
            if (door != null) {
                door.await();
            }
            if (Thread.currentThread() != task) {
                Ledger.named(ledgerName).violation("called by " + Thread.currentThread());
            }
            cache.clear();
        }

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            Tuple2<Integer, Integer> id = Tuple2.of(r.f0, r.f1);
            Long before = cache.get(id);
            if (before == null) {
                before = folded.get(r.f1);
            }
            long state = Ledger.nextState(before == null ? 17 : before, r.f2);
            cache.put(id, state);
            folded.put(r.f1, state);
            out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, Subtasks.index(getRuntimeContext())));
        }
    }
}
