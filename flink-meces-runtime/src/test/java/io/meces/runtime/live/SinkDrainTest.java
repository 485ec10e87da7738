// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.sink.SinkDrain;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A unit waits for the drain of a sink in its donor's chain, which a user brings. */
@Timeout(120)
class SinkDrainTest {

    private static final AtomicInteger BEGUN = new AtomicInteger();
    private static final AtomicInteger FROM_NEW_SUBTASK = new AtomicInteger();
    private static volatile CountDownLatch mayEnd;
    private static volatile boolean fails;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;

    @BeforeEach
    void start() throws Exception {
        BEGUN.set(0);
        FROM_NEW_SUBTASK.set(0);
        mayEnd = new CountDownLatch(1);
        fails = false;
        cluster = Clusters.start(2, 2, new Configuration());
    }

    @AfterEach
    void stop() throws Exception {
        mayEnd.countDown();
        cluster.close();
    }

    private JobID submit() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(0);
        TestGraphs.neverRestart(env);
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .addSink(new Sink(ledger.name));
        JobID job = cluster.submit(TestGraphs.of(env, "drained"));
        ledger.awaitResults(2_000);
        return job;
    }

    @Test
    void noUnitIsInstalledBeforeTheDrainHasEnded() throws Exception {
        JobID job = submit();
        CompletableFuture<RescaleDetails> rescaled = cluster.rescale(job, "count", 3);
        Ledger.awaitOrFail("a drain", () -> BEGUN.get() > 0);
        // records of units that stay go on; one in three is of a unit that leaves
        ledger.awaitResults(4_000);
        assertThat(FROM_NEW_SUBTASK.get()).isZero();
        assertThat(rescaled).isNotDone();
        mayEnd.countDown();
        RescaleDetails status = rescaled.get(60, TimeUnit.SECONDS);
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.unitsMigrated()).isPositive().isEqualTo(status.unitsTotal());
        Ledger.awaitOrFail("its results", () -> FROM_NEW_SUBTASK.get() > 0);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
    }

    @Test
    void aDrainThatFailsFailsTheJob() throws Exception {
        JobID job = submit();
        fails = true;
        mayEnd.countDown();
        CompletableFuture<RescaleDetails> rescaled = cluster.rescale(job, "count", 3);
        Ledger.awaitOrFail("the failure", () -> cluster.status(job).get() == JobStatus.FAILED);
        assertThat(
                        cluster.flink()
                                .requestJobResult(job)
                                .get()
                                .getSerializedThrowable()
                                .get()
                                .getFullStringifiedStackTrace())
                .contains("A sink cannot write what it has taken", "as the test wants");
        assertThat(
                        rescaled.isDone()
                                && !rescaled.isCompletedExceptionally()
                                && rescaled.get().status() == RescaleStatus.FINISHED)
                .isFalse();
    }

    /** Found by its file in META-INF/services. */
    public static final class Drain implements SinkDrain {
        @Override
        public boolean knows(Object sink) {
            return sink instanceof Sink;
        }

        @Override
        public ThrowingRunnable<Exception> workToDrain(Object sink) {
            return () -> {
                BEGUN.incrementAndGet();
                mayEnd.await();
                if (fails) {
                    throw new IllegalStateException("as the test wants");
                }
            };
        }
    }

    private static final class Sink
            implements SinkFunction<Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledger;

        private Sink(String ledger) {
            this.ledger = ledger;
        }

        @Override
        public void invoke(Tuple5<Integer, Integer, Long, Long, Integer> r, Context context) {
            if (r.f4 == 2) {
                FROM_NEW_SUBTASK.incrementAndGet();
            }
            Ledger.named(ledger).result(r.f1, r.f0, r.f2, r.f3, r.f4);
        }
    }
}
