// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real cluster, with a job that has nothing to rescale. */
@Timeout(120)
class MecesMiniClusterJobTest {

    private static final CountDownLatch RUNNING = new CountDownLatch(2);

    @Test
    void runsAJobAcrossTaskManagersThatComeAndGo() throws Exception {
        try (MecesMiniCluster cluster =
                MecesMiniCluster.builder().taskManagers(1).slotsPerTaskManager(1).start()) {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setParallelism(2);
            env.addSource(new Endless())
                    .setParallelism(1)
                    .rebalance()
                    .map(value -> announce(value))
                    .addSink(new DiscardingSink<>());
            JobID job = cluster.submit(env.getStreamGraph().getJobGraph());
            assertThat(cluster.status(job).get()).isIn(JobStatus.CREATED, JobStatus.RUNNING);

            // One slot is too few: the job waits for the second TaskManager, and talks to it.
            cluster.startTaskManager();
            assertThat(RUNNING.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(cluster.status(job).get()).isEqualTo(JobStatus.RUNNING);

            // Our handlers are there, next to Flink's, and reach the dispatcher.
            String jobs = cluster.restAddress() + "/jobs/";
            assertThat(status(jobs + new JobID() + "/elasticity")).isEqualTo(404);
            assertThat(status(jobs + job)).isEqualTo(200);

            cluster.cancel(job).get();
            assertThat(cluster.status(job).get()).isEqualTo(JobStatus.CANCELED);
            cluster.terminateTaskManager(1).get();
        }
    }

    private static int status(String url) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    private static final ThreadLocal<Boolean> ANNOUNCED = ThreadLocal.withInitial(() -> false);

    /** Counts the first record of each subtask. */
    private static Long announce(Long value) {
        if (!ANNOUNCED.get()) {
            ANNOUNCED.set(true);
            RUNNING.countDown();
        }
        return value;
    }

    private static final class Endless implements SourceFunction<Long> {
        private volatile boolean running = true;

        @Override
        public void run(SourceContext<Long> context) throws Exception {
            for (long value = 0; running; value++) {
                synchronized (context.getCheckpointLock()) {
                    context.collect(value);
                }
                Thread.sleep(1);
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }
}
