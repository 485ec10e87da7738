// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the JobManager each half second for the memory of the TaskManagers, in a thread. */
final class ResourceSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceSampler.class);
    private static final String HEAP = "Status.JVM.Memory.Heap.Used";
    private static final String FETCH = "Status.meces.transition.fetchMicros_";
    private static final long INTERVAL_MILLIS = 500;

    /** The quantiles that Flink reports of a histogram, with how it calls them. */
    static final List<String> QUANTILES =
            Collections.unmodifiableList(
                    Arrays.asList(
                            "min", "median", "p75", "p90", "p95", "p98", "p99", "p999", "max"));

    private final FlinkClient client;
    private final Watchdog watchdog;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final List<long[]> heap = new ArrayList<>();

    ResourceSampler(FlinkClient client, Watchdog watchdog) {
        this.client = client;
        this.watchdog = watchdog;
        this.thread = new Thread(this::run, "resource-sampler");
        thread.start();
    }

    private void run() {
        try {
            while (!stop.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                sample();
            }
        } catch (IOException | RuntimeException e) {
            watchdog.fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sample() throws IOException {
        long bytes = 0;
        for (String taskManager : client.taskManagers()) {
            String value =
                    client.taskManagerMetrics(taskManager, Collections.singletonList(HEAP))
                            .get(HEAP);
            if (value == null) {
                LOG.debug("{} has no metrics yet.", taskManager);
                return;
            }
            bytes += Long.parseLong(value);
        }
        heap.add(new long[] {EpochMicros.now(), bytes});
    }

    /** Stops to ask. */
    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(70));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Time in µs since the epoch, and the heap that all TaskManagers use, in bytes. */
    List<long[]> heap() {
        return heap;
    }

    /**
     * How long fetches took from the request of a unit to its installation, in µs: per TaskManager
     * and quantile of {@link #QUANTILES}. TaskManagers that have fetched nothing are left out.
     */
    static Map<String, double[]> fetchMicros(FlinkClient client) throws IOException {
        Map<String, double[]> all = new TreeMap<>();
        List<String> names = new ArrayList<>();
        QUANTILES.forEach(quantile -> names.add(FETCH + quantile));
        for (String taskManager : client.taskManagers()) {
            Map<String, String> values = client.taskManagerMetrics(taskManager, names);
            if (values.size() == names.size()
                    && Double.parseDouble(values.get(FETCH + "max")) > 0) {
                all.put(
                        taskManager,
                        names.stream()
                                .mapToDouble(name -> Double.parseDouble(values.get(name)))
                                .toArray());
            }
        }
        return all;
    }
}
