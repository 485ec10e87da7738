// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import java.util.Arrays;
import java.util.Collection;

/** Medians of few values. */
public final class Medians {
    private Medians() {}

    /** The middle value, or the mean of the two middle ones; NaN without values. */
    public static double of(Collection<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1
                ? sorted[half]
                : Arrays.stream(sorted, half - 1, half + 1).average().orElse(Double.NaN);
    }
}
