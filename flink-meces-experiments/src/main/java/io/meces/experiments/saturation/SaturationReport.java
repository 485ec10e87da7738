// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Medians;
import io.meces.experiments.run.Machine;
import io.meces.experiments.run.RunReport;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** The outcome of the saturation benchmark: for programs, by {@code Json}, and for people. */
final class SaturationReport {
    private final transient List<Variant> compared;
    private final transient Variant base;
    private final transient ThroughputStatistics statistics;
    private final transient int repeats;

    private final String benchmark = "saturation";

    @Nullable
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private final String error;

    private final List<ThroughputRun> runs;

    @JsonProperty("variants")
    private final List<Summary> summaries;

    private final Map<String, Object> parameters;
    private final Map<String, Object> versions;

    /**
     * A report.
     *
     * @param variants what was compared; the first one is what the others are compared with
     * @param runs what was measured
     * @param failure why there are not all runs; null if there are
     */
    SaturationReport(
            SaturationOptions options,
            Installation installation,
            List<Variant> variants,
            List<ThroughputRun> runs,
            @Nullable Exception failure) {
        this.compared = variants;
        this.base = variants.get(0);
        this.statistics = new ThroughputStatistics(runs);
        this.repeats = options.repeats;
        this.error = failure == null ? null : RunReport.text(failure);
        this.runs = runs;
        this.summaries = variants.stream().map(Summary::new).collect(Collectors.toList());
        this.parameters = options.parameters();
        this.versions = Machine.describe(installation);
    }

    private final class Summary {
        private final Variant variant;
        @Nullable private final Integer capacity;
        private final double median;
        private final double ratioOfMedians;
        private final double medianOfPairedRatios;
        private final List<Double> pairedRatios;

        private Summary(Variant variant) {
            this.variant = variant;
            capacity = variant.capacity;
            median = statistics.median(variant);
            ratioOfMedians = statistics.ratioOfMedians(variant, base);
            pairedRatios = statistics.pairedRatios(variant, base);
            medianOfPairedRatios = Medians.of(pairedRatios);
        }
    }

    /** Prints a table with a column for each variant. */
    void print(PrintWriter out) {
        out.println();
        out.printf("  %-22s", "records per second");
        compared.forEach(variant -> out.printf("%14s", variant));
        out.println();
        for (int round = 1; round <= repeats; round++) {
            int current = round;
            row(out, "round " + round, "%14.0f", variant -> throughput(current, variant));
        }
        row(out, "median", "%14.0f", statistics::median);
        out.println();
        out.printf("  %-22s%n", "compared with " + base);
        for (int round = 1; round <= repeats; round++) {
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
                variant -> Medians.of(statistics.pairedRatios(variant, base)));
        row(
                out,
                "ratio of the medians",
                "%14.3f",
                variant -> statistics.ratioOfMedians(variant, base));
        out.println();
        out.flush();
    }

    private void row(PrintWriter out, String name, String format, ToDoubleFunction<Variant> value) {
        out.printf("  %-22s", name);
        compared.forEach(variant -> out.printf(Locale.ROOT, format, value.applyAsDouble(variant)));
        out.println();
    }

    private double throughput(int round, Variant variant) {
        return runs.stream()
                .filter(run -> run.round == round && run.variant == variant)
                .mapToDouble(run -> run.recordsPerSecond)
                .findFirst()
                .orElse(Double.NaN);
    }
}
