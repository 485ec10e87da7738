// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import io.meces.experiments.measure.Medians;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What the runs say of the variants. */
final class ThroughputStatistics {
    private final List<ThroughputRun> runs;

    ThroughputStatistics(List<ThroughputRun> runs) {
        this.runs = new ArrayList<>(runs);
    }

    /** Records per second of each run of a variant, by round. */
    List<Double> all(Variant variant) {
        return runs.stream()
                .filter(run -> run.variant == variant)
                .map(run -> run.recordsPerSecond)
                .collect(Collectors.toList());
    }

    /** The median of the runs of a variant; NaN without runs. */
    double median(Variant variant) {
        return Medians.of(all(variant));
    }

    /** The median of one variant over that of another; NaN if one of them has no runs. */
    double ratioOfMedians(Variant variant, Variant base) {
        return median(variant) / median(base);
    }

    /** One variant over another in each round that has both. */
    List<Double> pairedRatios(Variant variant, Variant base) {
        List<Double> ratios = new ArrayList<>();
        for (ThroughputRun run : runs) {
            if (run.variant == variant) {
                OptionalDouble other =
                        runs.stream()
                                .filter(each -> each.variant == base && each.round == run.round)
                                .mapToDouble(each -> each.recordsPerSecond)
                                .findFirst();
                if (other.isPresent()) {
                    ratios.add(run.recordsPerSecond / other.getAsDouble());
                }
            }
        }
        return ratios;
    }
}
