// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.experiments.cluster.Installation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The experiment, as small and short as can be, by all mechanisms, with real processes. */
@Tag("full")
@Tag("bench")
class KeyCountBenchIT {
    private static final Logger LOG = LoggerFactory.getLogger(KeyCountBenchIT.class);

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void allMechanismsRescaleExactlyAndAreReported() throws Exception {
        KeyCountOptions options = new KeyCountOptions();
        options.keys = 5_000;
        options.payloadBytes = 200;
        options.stages = 2;
        options.rate = 1_000;
        options.warmUpSeconds = 2;
        options.steadySeconds = 2;
        options.afterSeconds = 3;
        options.checkpointIntervalMillis = 1_000;
        options.taskManagerHeapMegabytes = 512;
        options.output = Paths.get("target", "it", "bench-key-count").toAbsolutePath();
        options.validate();
        StringWriter text = new StringWriter();
        Installation installation = new Installation(Paths.get(System.getProperty("meces.home")));

        boolean success = new Bench(options, installation, new PrintWriter(text)).run();

        LOG.info("{}", text);
        assertThat(success).as(text.toString()).isTrue();
        Path folder = options.output;
        JsonNode runs =
                new ObjectMapper()
                        .readTree(folder.resolve("report.json").toFile())
                        .path("workloads")
                        .path(0)
                        .path("runs");
        assertThat(runs).hasSize(3);
        assertThat(runs)
                .allSatisfy(
                        run -> {
                            assertThat(run.path("exact").asBoolean()).isTrue();
                            assertThat(run.path("result-rescale-records").asLong()).isPositive();
                            assertThat(run.path("marker-rescale-records").asLong()).isPositive();
                            assertThat(run.path("result-rescale-peak-ms").asDouble()).isPositive();
                            assertThat(run.path("rescale-ms").asLong()).isPositive();
                        });
        JsonNode meces = runs.path(0);
        JsonNode orderUnaware = runs.path(1);
        assertThat(meces.path("mechanism").asText()).isEqualTo("meces");
        assertThat(meces.path("units").asLong()).isGreaterThan(orderUnaware.path("units").asLong());
        assertThat(meces.path("order-events").asLong()).isGreaterThanOrEqualTo(2);
        assertThat(orderUnaware.path("mechanism").asText()).isEqualTo("order-unaware");
        assertThat(orderUnaware.path("units").asLong()).isPositive();
        assertThat(orderUnaware.path("units-on-demand").asLong()).isZero();
        assertThat(runs.path(2).path("rescale-phases-ms").path("stop-with-savepoint").asLong())
                .isPositive();
        for (String file :
                new String[] {
                    "report.md",
                    "runs.csv",
                    "latency.csv",
                    "key-count-latency.png",
                    "key-count-throughput.png",
                    "key-count-waits.png",
                    "key-count-memory.png"
                }) {
            assertThat(folder.resolve(file)).isNotEmptyFile();
        }
    }
}
