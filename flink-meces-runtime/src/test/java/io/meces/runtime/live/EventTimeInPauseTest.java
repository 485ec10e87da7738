// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.RichSourceFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watermarks of an elastic vertex while a checkpoint runs between two steps. */
@Tag("full")
@Timeout(180)
class EventTimeInPauseTest {

    /** So far event time has to go on in a pause: 2 s at the rate of the sources. */
    private static final long FAR = 10_000;

    private final Ledger ledger = new Ledger();

    @AfterEach
    void removeObstacle() {
        Obstacle.passable.countDown();
    }

    @Test
    void goOnHoweverLongTheCheckpointTakes() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.RUNNING_CHECKPOINT, RunningCheckpoint.WAIT);
        try (MecesMiniCluster cluster = Clusters.start(2, 4, configuration)) {
            JobID job = cluster.submit(job());
            ledger.awaitResults(2_000);
            Ledger.awaitOrFail("all tasks", () -> Clusters.knowsToRun(cluster, job, 0));
            CompletableFuture<RescaleDetails> end = cluster.rescale(job, inSmallSteps());
            Ledger.awaitOrFail("steps", () -> status(cluster, job).stepsCompleted() > 2);
            Obstacle.passable = new CountDownLatch(1);
            Ledger.awaitOrFail(
                    "a pause", () -> Obstacle.holdsCheckpoint && isPausing(cluster, job));
            long before = ledger.watermark.get();
            Ledger.awaitOrFail("event time", () -> ledger.watermark.get() > before + FAR);
            // not because the checkpoint had ended
            assertThat(isPausing(cluster, job)).isTrue();
            removeObstacle();
            assertThat(end.get(90, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.FINISHED);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(ledger.late).hasValue(0);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private static RescaleRequest inSmallSteps() {
        return RescaleRequest.of(RescaleRequest.Target.byName("count", 4)).withBatchSize(1);
    }

    private static boolean isPausing(MecesMiniCluster cluster, JobID job) throws Exception {
        return status(cluster, job).state() == RescaleState.PAUSING;
    }

    private static RescaleDetails status(MecesMiniCluster cluster, JobID job) throws Exception {
        List<RescaleDetails> all = cluster.rescales(job).get(10, TimeUnit.SECONDS);
        return all.get(all.size() - 1);
    }

    private JobGraph job() {
        StreamExecutionEnvironment env = Jobs.environment(50);
        Jobs.count(Jobs.source(env, ledger, 1_000, Long.MAX_VALUE), ledger, 2);
        env.addSource(new Obstacle(), Types.INT)
                .setParallelism(1)
                .name("obstacle")
                .addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "event time");
    }

    /** Emits nothing, and holds checkpoints up. */
    private static final class Obstacle extends RichSourceFunction<Integer>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;
        private static volatile CountDownLatch passable = new CountDownLatch(0);
        private static volatile boolean holdsCheckpoint;
        private volatile boolean running = true;

        @Override
        public void run(SourceContext<Integer> out) throws Exception {
            while (running) {
                synchronized (this) {
                    wait(1_000);
                }
            }
        }

        @Override
        public void cancel() {
            running = false;
            synchronized (this) {
                notifyAll();
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            CountDownLatch latch = passable;
            if (latch.getCount() > 0) {
                holdsCheckpoint = true;
                latch.await();
                holdsCheckpoint = false;
            }
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            // it has no state
        }
    }
}
