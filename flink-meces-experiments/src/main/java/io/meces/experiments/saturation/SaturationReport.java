// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import javax.annotation.Nullable;

/** The outcome of the saturation benchmark, for people and for programs. */
final class SaturationReport {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final SaturationOptions options;
    private final Installation installation;
    private final List<Variant> variants;
    private final Variant base;
    private final List<ThroughputRun> runs;
    private final ThroughputStatistics statistics;
    @Nullable private Exception error;

    /**
     * A report.
     *
     * @param options what was done
     * @param installation with what
     * @param variants what was compared; the first one is what the others are compared with
     * @param runs what was measured
     */
    SaturationReport(
            SaturationOptions options,
            Installation installation,
            List<Variant> variants,
            List<ThroughputRun> runs) {
        this.options = options;
        this.installation = installation;
        this.variants = variants;
        this.base = variants.get(0);
        this.runs = runs;
        this.statistics = new ThroughputStatistics(runs);
    }

    /** Notes why there are not all runs. */
    SaturationReport error(Exception failure) {
        error = failure;
        return this;
    }

    /** Prints a table with a column for each variant. */
    void print(PrintWriter out) {
        out.println();
        out.printf("  %-22s", "records per second");
        variants.forEach(variant -> out.printf("%14s", variant.name));
        out.println();
        for (int round = 1; round <= options.repeats; round++) {
            int current = round;
            row(out, "round " + round, "%14.0f", variant -> throughput(current, variant));
        }
        row(out, "median", "%14.0f", statistics::median);
        out.println();
        out.printf("  %-22s%n", "compared with " + base.name);
        for (int round = 1; round <= options.repeats; round++) {
            int current = round;
            row(
                    out,
                    "round " + round,
                    "%14.3f",
                    variant -> throughput(current, variant) / throughput(current, base));
        }
        row(
                out,
                "median of the rounds",
                "%14.3f",
                variant -> ThroughputStatistics.median(statistics.pairedRatios(variant, base)));
        row(
                out,
                "ratio of the medians",
                "%14.3f",
                variant -> statistics.ratioOfMedians(variant, base));
        out.println();
        out.flush();
    }

    private static void format(PrintWriter out, String format, double value) {
        out.printf(Locale.ROOT, format, value);
    }

    private void row(PrintWriter out, String name, String format, ToDoubleFunction<Variant> value) {
        out.printf("  %-22s", name);
        variants.forEach(variant -> format(out, format, value.applyAsDouble(variant)));
        out.println();
    }

    private double throughput(int round, Variant variant) {
        return runs.stream()
                .filter(run -> run.round == round && run.variant == variant)
                .mapToDouble(run -> run.recordsPerSecond)
                .findFirst()
                .orElse(Double.NaN);
    }

    void writeJson(Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), toJson());
    }

    ObjectNode toJson() {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("benchmark", "saturation");
        if (error != null) {
            json.put("error", error.getMessage() == null ? error.toString() : error.getMessage());
        }
        ArrayNode all = json.putArray("runs");
        for (ThroughputRun run : runs) {
            all.addObject()
                    .put("round", run.round)
                    .put("variant", run.variant.name)
                    .put("records-per-second", run.recordsPerSecond)
                    .put("seconds", run.seconds)
                    .put("checkpoints-completed", run.checkpoints)
                    .put("longest-stall-ms", run.longestStallMillis);
        }
        ArrayNode summaries = json.putArray("variants");
        variants.forEach(variant -> summary(summaries.addObject(), variant));
        ObjectNode parameters = json.putObject("parameters");
        parameters.put("repeats", options.repeats);
        parameters.put("seconds", options.seconds);
        parameters.put("warm-up", options.warmUpSeconds);
        parameters.put("keys", options.keys);
        parameters.put("seed", options.seed);
        parameters.put("parallelism", SaturatedCluster.PARALLELISM);
        parameters.put("max-parallelism", SaturatedCluster.MAX_PARALLELISM);
        parameters.put("checkpoint-interval", SaturationBench.CHECKPOINT_INTERVAL_MILLIS);
        json.set("versions", MAPPER.valueToTree(Machine.describe(installation)));
        return json;
    }

    private void summary(ObjectNode json, Variant variant) {
        json.put("variant", variant.name);
        json.put("capacity", variant.capacity);
        put(json, "median", statistics.median(variant));
        if (variant == base) {
            return;
        }
        List<Double> paired = statistics.pairedRatios(variant, base);
        put(json, "ratio-of-medians", statistics.ratioOfMedians(variant, base));
        put(json, "median-of-paired-ratios", ThroughputStatistics.median(paired));
        paired.forEach(json.putArray("paired-ratios")::add);
    }

    /** JSON has no NaN. */
    private static void put(ObjectNode json, String name, double value) {
        json.put(name, Double.isNaN(value) ? null : value);
    }
}
