// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the JobManager each half second for the memory of the TaskManagers, in a thread. */
final class ResourceSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceSampler.class);
    private static final String HEAP = "Status.JVM.Memory.Heap.Used";
    private static final String FETCH = "Status.meces.transition.fetchMicros_";
    private static final long INTERVAL_MILLIS = 500;

    /** The quantiles that Flink reports of a histogram, with how it calls them. */
    private static final List<String> QUANTILES =
            Arrays.asList("min", "median", "p75", "p90", "p95", "p98", "p99", "p999", "max");

    private final FlinkClient client;
    private final Watchdog watchdog;
    private final Resources resources;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);

    /** Starts to ask; what is answered goes to the resources, until this is closed. */
    ResourceSampler(FlinkClient client, Watchdog watchdog, Resources resources) {
        this.client = client;
        this.watchdog = watchdog;
        this.resources = resources;
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
        resources.heap.add(new long[] {EpochMicros.now(), bytes});
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

    /**
     * How long fetches took from the request of a unit to its installation, in µs: per TaskManager
     * and quantile. TaskManagers that have fetched nothing are left out.
     */
    static Map<String, Map<String, Double>> fetchMicros(FlinkClient client) throws IOException {
        Map<String, Map<String, Double>> all = new TreeMap<>();
        List<String> names = QUANTILES.stream().map(q -> FETCH + q).collect(Collectors.toList());
        for (String taskManager : client.taskManagers()) {
            Map<String, String> values = client.taskManagerMetrics(taskManager, names);
            if (values.size() == names.size()
                    && Double.parseDouble(values.get(FETCH + "max")) > 0) {
                Map<String, Double> micros = new LinkedHashMap<>();
                QUANTILES.forEach(q -> micros.put(q, Double.parseDouble(values.get(FETCH + q))));
                all.put(taskManager, micros);
            }
        }
        return all;
    }
}
