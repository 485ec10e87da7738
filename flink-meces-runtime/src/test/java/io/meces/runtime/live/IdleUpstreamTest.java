// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A source that is idle while subtasks are added behind it: they must know its watermark. */
@Timeout(120)
class IdleUpstreamTest {

    private static final int KEYS = 100;
    private static final long WATERMARK = 1_000;
    private static final BlockingQueue<Long> SEEN = new LinkedBlockingQueue<>();
    private static volatile CountDownLatch rescaled = new CountDownLatch(1);

    @AfterEach
    void releaseTheSource() {
        rescaled.countDown();
    }

    @Test
    void newSubtasksStandAtItsWatermark() throws Exception {
        SEEN.clear();
        rescaled = new CountDownLatch(1);
        StreamExecutionEnvironment env = Jobs.environment(300);
        env.addSource(new Pausing())
                .setParallelism(1)
                .keyBy(key -> key, Types.INT)
                .process(new WatermarkOf())
                .setParallelism(1)
                .name("watermarks")
                .uid("watermarks");
        try (MecesMiniCluster cluster = Clusters.start(2, 4, new Configuration())) {
            JobID job = cluster.submit(TestGraphs.of(env, "idle"));
            assertThat(taken()).containsOnly(Long.MIN_VALUE);
            RescaleDetails status = cluster.rescale(job, "watermarks", 3).get(60, TimeUnit.SECONDS);
            assertThat(status.failure()).isNull();
            rescaled.countDown();
            assertThat(taken()).containsOnly(WATERMARK);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private static List<Long> taken() throws InterruptedException {
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            Long watermark = SEEN.poll(60, TimeUnit.SECONDS);
            assertThat(watermark).as("result " + i).isNotNull();
            taken.add(watermark);
        }
        return taken;
    }

    /** Each key, then a watermark, then it is idle; and each key again after the rescale. */
    private static final class Pausing implements SourceFunction<Integer> {
        private static final long serialVersionUID = 1L;
        private volatile boolean running = true;

        @Override
        public void run(SourceContext<Integer> out) throws InterruptedException {
            emitKeys(out);
            synchronized (out.getCheckpointLock()) {
                out.emitWatermark(new Watermark(WATERMARK));
                out.markAsTemporarilyIdle();
            }
            rescaled.await();
            emitKeys(out);
            CountDownLatch end = new CountDownLatch(1);
            while (running) {
                // until it is cancelled, which interrupts it
                end.await(100, TimeUnit.MILLISECONDS);
            }
        }

        private static void emitKeys(SourceContext<Integer> out) {
            for (int key = 0; key < KEYS; key++) {
                synchronized (out.getCheckpointLock()) {
                    out.collectWithTimestamp(key, 500);
                }
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class WatermarkOf extends KeyedProcessFunction<Integer, Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Integer key, Context context, Collector<Integer> out) {
            SEEN.add(context.timerService().currentWatermark());
        }
    }
}
