// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the saturation benchmark prints and writes. */
class SaturationReportTest {
    @TempDir private Path directory;

    private final Variant stock = Variant.stock();
    private final Variant elastic = Variant.elastic(8);
    private final List<Variant> variants = Arrays.asList(stock, elastic);

    @Test
    void theTableHasRunsMediansAndRatios() {
        StringWriter text = new StringWriter();

        report(
                        null,
                        run(1, stock, 1_000),
                        run(1, elastic, 950),
                        run(2, stock, 3_000),
                        run(2, elastic, 3_300))
                .print(new PrintWriter(text));

        assertThat(text.toString().trim().split("\\R"))
                .extracting(line -> line.trim().replaceAll(" +", " "))
                .containsExactly(
                        "records per second stock capacity-8",
                        "round 1 1000 950",
                        "round 2 3000 3300",
                        "median 2000 2125",
                        "",
                        "compared with stock",
                        "round 1 1.000 0.950",
                        "round 2 1.000 1.100",
                        "median of the rounds 1.000 1.025",
                        "ratio of the medians 1.000 1.063");
    }

    @Test
    void theJsonHasTheSame() throws Exception {
        Path file = directory.resolve("report.json");

        Json.write(report(null, run(1, stock, 1_000), run(1, elastic, 950)), file);

        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.has("error")).isFalse();
        assertThat(json.path("runs")).hasSize(2);
        assertThat(json.path("runs").path(1).path("variant").asText()).isEqualTo("capacity-8");
        assertThat(json.path("runs").path(1).path("records-per-second").asDouble()).isEqualTo(950);
        assertThat(json.path("variants").path(0).path("median").asDouble()).isEqualTo(1_000);
        assertThat(json.path("variants").path(0).path("capacity").isNull()).isTrue();
        JsonNode compared = json.path("variants").path(1);
        assertThat(compared.path("capacity").asInt()).isEqualTo(8);
        assertThat(compared.path("ratio-of-medians").asDouble()).isEqualTo(0.95);
        assertThat(compared.path("paired-ratios").path(0).asDouble()).isEqualTo(0.95);
        assertThat(json.path("parameters").path("repeats").asInt()).isEqualTo(2);
        assertThat(json.path("versions").path("flink").asText()).isEqualTo("1.12.7");
    }

    @Test
    void whatWasMeasuredBeforeAFailureIsKept() throws Exception {
        Path file = directory.resolve("report.json");

        Json.write(
                report(new IOException("Ended unexpectedly: taskmanager-1."), run(1, stock, 1_000)),
                file);

        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("error").asText()).isEqualTo("Ended unexpectedly: taskmanager-1.");
        assertThat(json.path("runs")).hasSize(1);
        assertThat(json.path("variants").path(1).path("median").isNull()).isTrue();
    }

    private SaturationReport report(@Nullable Exception failure, ThroughputRun... runs) {
        SaturationOptions options = new SaturationOptions();
        options.repeats = 2;
        return new SaturationReport(
                options, new Installation(directory), variants, Arrays.asList(runs), failure);
    }

    private static ThroughputRun run(int round, Variant variant, double recordsPerSecond) {
        return new ThroughputRun(round, variant, recordsPerSecond, 10, 2, 0);
    }
}
