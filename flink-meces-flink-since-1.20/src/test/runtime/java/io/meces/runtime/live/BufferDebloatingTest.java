// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rescales under back pressure while Flink makes buffers as small as a task can keep up with. */
@Tag("full")
@Timeout(600)
class BufferDebloatingTest {

    private static final Logger LOG = LoggerFactory.getLogger(BufferDebloatingTest.class);

    private static final int WHOLE_SEGMENT = 32_768;

    private final Ledger ledger = new Ledger();

    private static Configuration debloating() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.BUFFER_DEBLOAT_ENABLED, true);
        // often, so that buffers are resized while channels come and go
        configuration.set(TaskManagerOptions.BUFFER_DEBLOAT_PERIOD, Duration.ofMillis(2));
        configuration.set(TaskManagerOptions.BUFFER_DEBLOAT_TARGET, Duration.ofMillis(50));
        configuration.set(MetricOptions.REPORTERS_LIST, "registered");
        configuration.setString(
                "metrics.reporter.registered.factory.class",
                MetricsTest.Registered.class.getName());
        return configuration;
    }

    @Test
    void rescalesAreExactAndNewSubtasksHaveSmallBuffers() throws Exception {
        long seed = System.nanoTime();
        LOG.info("Seed {}", seed);
        Random random = new Random(seed);
        ledger.rate = 2_000;
        ledger.workNanos = 200_000;
        try (MecesMiniCluster cluster = Clusters.start(2, 4, debloating())) {
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
            ledger.awaitResults(2_000);
            Ledger.awaitOrFail("it runs", () -> Clusters.knowsToRun(cluster, job, 0));
            awaitSmallBuffers("count", 2);
            int parallelism = 2;
            for (int next : new int[] {4, 1, 3, 0, 0, 0}) {
                while (next == 0 || next == parallelism) {
                    next = 1 + random.nextInt(5);
                }
                parallelism = next;
                RescaleDetails status =
                        cluster.rescale(job, "count", parallelism).get(240, TimeUnit.SECONDS);
                assertThat(status.failure()).isNull();
                ledger.awaitResults(2_000);
                awaitSmallBuffers("count", parallelism);
                awaitSmallBuffers("Sink: books", 2);
            }
            ledger.workNanos = 0;
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(Clusters.restarts(cluster, job)).isZero();
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    /** Each subtask has told those that it reads from to send smaller buffers. */
    private static void awaitSmallBuffers(String vertex, int parallelism) throws Exception {
        for (int subtask = 0; subtask < parallelism; subtask++) {
            String of = "." + vertex + "." + subtask + ".";
            Ledger.awaitOrFail(
                    "small buffers at " + of,
                    () -> bufferSize(of) > 0 && bufferSize(of) < WHOLE_SEGMENT / 2);
        }
    }

    /** The size that the buffer debloater of a subtask has told last; 0: it has none. */
    private static int bufferSize(String subtask) {
        for (Map.Entry<Metric, String> metric : MetricsTest.Registered.ALL.entrySet()) {
            if (metric.getValue().contains(subtask)
                    && metric.getValue().endsWith(".debloatedBufferSize")) {
                return ((Number) ((Gauge<?>) metric.getKey()).getValue()).intValue();
            }
        }
        return 0;
    }
}
