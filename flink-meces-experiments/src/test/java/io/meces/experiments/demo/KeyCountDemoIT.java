// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The demo, shortened, with real processes. The Maven property {@code demo.it.stock} says whether
 * on stock Flink, without rescales.
 */
class KeyCountDemoIT {
    private static final Logger LOG = LoggerFactory.getLogger(KeyCountDemoIT.class);
    private static final boolean STOCK = Boolean.getBoolean("demo.it.stock");
    private static final int KEYS = 10_000;
    private static final int RATE = 2_000;
    private static final int SECONDS = 20;

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void everyRecordIsCountedExactlyOnce() throws Exception {
        DemoOptions options = options(STOCK ? "stock" : "elastic", KEYS, SECONDS);
        options.stock = STOCK;
        assertExact(options);
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(strings = {"1.12", "2.3"})
    @DisabledIf(value = "isStock", disabledReason = "A stock Flink is run in one line only.")
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void soItIsOnOtherLines(String line) throws Exception {
        DemoOptions options = options("elastic-" + line, KEYS, SECONDS);
        options.flink = line;
        assertExact(options);
    }

    private static void assertExact(DemoOptions options) throws Exception {
        KeyCountDemo demo = run(options);

        JsonNode report = new ObjectMapper().readTree(options.report.toFile());
        assertThat(report.path("exact").asBoolean()).isTrue();
        assertThat(report.path("records").asLong())
                .isEqualTo(report.path("results").asLong())
                .isGreaterThanOrEqualTo(KEYS + (SECONDS - 1) * RATE);
        assertThat(report.path("restarted").asBoolean(true)).isFalse();
        assertThat(report.path("checkpoints-completed").asInt()).isPositive();
        assertThat(demo.plotFile()).isNotEmptyFile();
        assertThat(report.path("results-per-subtask")).hasSize(STOCK ? 2 : 3);
        assertRescales(report.path("rescales"));
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(strings = {"1.20", "2.3"})
    @DisabledIf(value = "isStock", disabledReason = "A stock Flink has no transition service.")
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void everyRecordIsCountedExactlyOnceAndRedisIsEmptyInTheEnd(String line) throws Exception {
        DemoOptions options = options("kafka-redis-" + line, KEYS / 5, SECONDS / 2);
        options.flink = line;
        options.transitionService = "kafka-redis";

        run(options);

        JsonNode report = new ObjectMapper().readTree(options.report.toFile());
        assertThat(report.path("exact").asBoolean()).isTrue();
        assertThat(report.path("restarted").asBoolean(true)).isFalse();
        assertRescales(report.path("rescales"));
        // of payloads; two leases and their renewals are a few
        assertThat(report.path("redis-writes").asLong()).isGreaterThan(10);
        assertThat(report.path("redis-payloads-left").asLong(-1)).isZero();
    }

    static boolean isStock() {
        return STOCK;
    }

    private static DemoOptions options(String name, int keys, int seconds) {
        DemoOptions options = new DemoOptions();
        options.keys = keys;
        options.rate = RATE;
        options.seconds = seconds;
        options.warmUpSeconds = 5;
        options.checkpointIntervalMillis = 2_000;
        options.report = Paths.get("target", "it", name, "report.json").toAbsolutePath();
        return options;
    }

    private static KeyCountDemo run(DemoOptions options) throws Exception {
        Path home = Paths.get(System.getProperty("meces.home"));
        options.validate();
        StringWriter text = new StringWriter();
        KeyCountDemo demo =
                new KeyCountDemo(
                        options,
                        new Installation(home, FlinkLine.of(options.flink)),
                        new PrintWriter(text));
        demo.run();
        LOG.info("{}", text);
        assertThat(demo.isSuccess()).as(text.toString()).isTrue();
        return demo;
    }

    private static void assertRescales(JsonNode rescales) {
        if (STOCK) {
            assertThat(rescales).isEmpty();
            return;
        }
        assertThat(rescales).hasSize(2);
        assertThat(rescales)
                .allSatisfy(
                        rescale -> {
                            assertThat(rescale.path("status").asText()).isEqualTo("FINISHED");
                            assertThat(rescale.path("units-migrated").asLong()).isPositive();
                        });
        assertThat(rescales.path(0).path("to").asInt()).isEqualTo(3);
        assertThat(rescales.path(1).path("to").asInt()).isEqualTo(2);
    }
}
