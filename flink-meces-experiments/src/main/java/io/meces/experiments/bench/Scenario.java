// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import java.util.Arrays;
import java.util.Locale;

/** What happens around the rescale. */
public enum Scenario {
    /** More subtasks, at a steady rate. */
    SCALE_OUT,
    /** Fewer subtasks, at a steady rate. */
    SCALE_IN,
    /** Records that take long; the rate doubles for a while, and the rescale comes amid it. */
    BACK_PRESSURE,
    /** As {@link #SCALE_OUT}, with a few keys that get most of the records. */
    SKEW,
    /** As {@link #SCALE_OUT}, by several repartition strategies. */
    CUSTOM_PARTITIONING;

    /**
     * Reads a name such as {@code scale-out}.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public static Scenario parse(String text) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.toString().equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "There is no scenario "
                                                + text
                                                + "; there are scale-out, scale-in,"
                                                + " back-pressure, skew and"
                                                + " custom-partitioning."));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
