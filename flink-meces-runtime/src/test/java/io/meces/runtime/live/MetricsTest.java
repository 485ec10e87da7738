// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The metrics of a job that is rescaled, and the tables of the operator guide. */
@Timeout(120)
class MetricsTest {

    private static final Pattern OURS = Pattern.compile("[.]meces[.](?!transition[.])(.*)");

    private final Ledger ledger = new Ledger();

    @Test
    void countARescaleAndAreGoneWithTheJob() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MetricOptions.REPORTERS_LIST, "registered");
        configuration.setString(
                "metrics.reporter.registered.factory.class", Registered.class.getName());
        try (MecesMiniCluster cluster = Clusters.start(2, 4, configuration)) {
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
            ledger.awaitResults(2_000);
            assertThat(number("numRescalesStarted")).isZero();
            assertThat(number("lastRescaleDuration")).isEqualTo(-1);

            RescaleDetails rescale = cluster.rescale(job, "count", 3).get(60, TimeUnit.SECONDS);

            assertThat(number("numRescalesStarted")).isEqualTo(1);
            assertThat(number("numRescalesFinished")).isEqualTo(1);
            assertThat(number("numRescalesRunning")).isZero();
            assertThat(number("lastRescaleDuration")).isEqualTo(rescale.durationMs());
            assertThat(number("numUnitsMigrated")).isEqualTo(rescale.unitsMigrated());
            assertThat(number("numUnitsOnDemand")).isEqualTo(rescale.unitsOnDemand());
            assertThat(number("numBytesMigrated")).isEqualTo(rescale.bytes());
            assertThat(number("parallelism")).isEqualTo(3);
            assertThat(number("capacity")).isEqualTo(32);
            assertThat(number("numUnitsIn")).isEqualTo(rescale.unitsMigrated());
            assertThat(number("numUnitsOut")).isEqualTo(rescale.unitsMigrated());
            assertThat(number("recordWaitMicros")).isEqualTo(rescale.recordsWaited());
            assertThat(number("parkedRecords")).isZero();
            assertThat(names()).isEqualTo(documented());

            cluster.cancel(job).get(30, TimeUnit.SECONDS);
            Ledger.awaitOrFail("the end of the metrics", () -> names().isEmpty());
        }
    }

    /** The sum over all that have the name; of a histogram it is the count. */
    private static long number(String name) {
        return Registered.ALL.entrySet().stream()
                .filter(metric -> name.equals(nameOf(metric.getValue())))
                .mapToLong(metric -> number(metric.getKey()))
                .sum();
    }

    private static long number(Metric metric) {
        if (metric instanceof Counter) {
            return ((Counter) metric).getCount();
        }
        return metric instanceof Histogram
                ? ((Histogram) metric).getCount()
                : ((Number) ((Gauge<?>) metric).getValue()).longValue();
    }

    /** Without groups; empty if it is none of ours. */
    private static String nameOf(String identifier) {
        Matcher ours = OURS.matcher(identifier);
        return ours.find() ? ours.group(1).replaceAll(".*[.]", "") : "";
    }

    private static Set<String> names() {
        return Registered.ALL.values().stream()
                .map(MetricsTest::nameOf)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** In the first column of a table of the chapter. */
    private static Set<String> documented() throws Exception {
        String guide =
                new String(
                        Files.readAllBytes(
                                Paths.get(
                                        System.getProperty("meces.home"),
                                        "docs/operator-guide.md")),
                        StandardCharsets.UTF_8);
        String chapter = guide.split("\n## Metrics\n")[1].split("\n### ")[0];
        Set<String> names = new TreeSet<>();
        for (String line : chapter.split("\n")) {
            Matcher name = Pattern.compile("`(\\w+)`").matcher(line.split("(?<=.)[|]")[0]);
            while (line.startsWith("| `") && name.find()) {
                names.add(name.group(1));
            }
        }
        return names;
    }

    /** All metrics of the cluster; Flink makes it. */
    public static final class Registered implements MetricReporter, MetricReporterFactory {
        static final Map<Metric, String> ALL = new ConcurrentHashMap<>();

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
