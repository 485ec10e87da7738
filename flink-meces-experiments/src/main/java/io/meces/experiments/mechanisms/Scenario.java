/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.experiments.mechanisms;

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
