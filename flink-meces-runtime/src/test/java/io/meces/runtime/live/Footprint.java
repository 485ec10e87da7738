// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** What this process holds at a moment at which nothing moves. */
public final class Footprint {

    /**
     * A subtask, an input gate or the partition of one has more than 100 KB, so 150 of them that
     * are kept are three times that. What Flink's pools and histories take more for a while is
     * less.
     */
    private static final long HEAP_TOLERANCE = 5 << 20;

    /** Pools of threads have not always all of theirs; a leak would be one for each rescale. */
    private static final int THREAD_TOLERANCE = 10;

    /** As threads: some have selectors. */
    private static final int FILE_TOLERANCE = 20;

    /** Pools of running tasks keep what they have needed once; a leak would be one per rescale. */
    private static final int SEGMENT_TOLERANCE = 40;

    private static final long PATIENCE_MS = 30_000;

    private final long heap;
    private final int threads;
    private final long files;
    private final long direct;
    private final int metrics;
    private final long segments;
    private final long managed;

    private Footprint() {
        this.heap = liveHeap();
        this.threads = ManagementFactory.getThreadMXBean().getThreadCount();
        this.files =
                ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getOpenFileDescriptorCount();
        this.direct =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
        this.metrics = Gauges.ALL.size();
        this.segments = Gauges.sum("Shuffle.Netty.UsedMemorySegments");
        this.managed = Gauges.sum("Flink.Memory.Managed.Used");
    }

    public static Footprint now() {
        return new Footprint();
    }

    /** For clusters that are to be looked at. */
    static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.setString("metrics.reporter.gauges.factory.class", Gauges.class.getName());
        return configuration;
    }

    private static long liveHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least =
                    Math.min(
                            least,
                            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** Waits until no more is held than before; fails with the difference if that does not come. */
    public static void assertNoMoreThan(Footprint before) throws Exception {
        Ledger.await(() -> now().isNoMoreThan(before), PATIENCE_MS);
        Footprint now = now();
        assertThat(now.isNoMoreThan(before)).as("before: %s, now: %s", before, now).isTrue();
    }

    /** Waits until all network buffers are free again, as they are without a job. */
    static void assertNoBuffers() throws Exception {
        Ledger.await(() -> now().segments == 0, PATIENCE_MS);
        assertThat(now().segments).isZero();
    }

    private boolean isNoMoreThan(Footprint before) {
        return heap <= before.heap + HEAP_TOLERANCE
                && threads <= before.threads + THREAD_TOLERANCE
                && files <= before.files + FILE_TOLERANCE
                && direct <= before.direct + HEAP_TOLERANCE
                && metrics == before.metrics
                && segments <= before.segments + SEGMENT_TOLERANCE
                && managed == before.managed;
    }

    @Override
    public String toString() {
        return String.format(
                "%.1f MB live heap, %.1f MB direct, %d threads, %d files, %d metrics, %d network"
                        + " buffers, %d bytes of managed memory",
                heap / 1048576.0, direct / 1048576.0, threads, files, metrics, segments, managed);
    }

    /** All metrics of the cluster; Flink makes it. */
    public static final class Gauges implements MetricReporter, MetricReporterFactory {
        static final Map<Metric, String> ALL = new ConcurrentHashMap<>();

        /** The sum over the TaskManagers; there is one at least. */
        static long sum(String name) {
            List<Long> values =
                    ALL.entrySet().stream()
                            .filter(metric -> metric.getValue().endsWith(name))
                            .map(metric -> ((Number) ((Gauge<?>) metric.getKey()).getValue()))
                            .map(Number::longValue)
                            .collect(Collectors.toList());
            assertThat(values).as(name).isNotEmpty();
            return values.stream().mapToLong(value -> value).sum();
        }

        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return this;
        }

        @Override
        public void open(MetricConfig config) {
            ALL.clear();
        }

        @Override
        public void close() {
            ALL.clear();
        }

        @Override
        public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
            ALL.put(metric, group.getMetricIdentifier(name));
        }

        @Override
        public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
            ALL.remove(metric);
        }
    }
}
