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

package io.meces.runtime.migration;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs simulations by their seeds. */
final class Seeds {

    private static final Logger LOG = LoggerFactory.getLogger(Seeds.class);
    private static final int LINES_SHOWN = 60;

    private Seeds() {}

    /** What is wrong with a seed; null if nothing. */
    static Throwable failureOf(long seed, Variant variant) {
        try {
            new Simulation(seed, variant, null).run();
            return null;
        } catch (Exception | Violation e) {
            return e;
        }
    }

    /** Runs a seed; if it fails, once more to tell what led to that. */
    static Simulation run(long seed) {
        Simulation simulation = new Simulation(seed, Variant.SOUND, null);
        try {
            simulation.run();
            return simulation;
        } catch (Exception | Violation e) {
            throw new AssertionError(
                    "seed "
                            + seed
                            + " (-Dmeces.simulation.seed="
                            + seed
                            + " replays it): "
                            + e
                            + "\n"
                            + lastLines(seed),
                    e);
        }
    }

    private static String lastLines(long seed) {
        ArrayDeque<String> lines = new ArrayDeque<>();
        try {
            new Simulation(
                            seed,
                            Variant.SOUND,
                            line -> {
                                lines.add(line);
                                if (lines.size() > LINES_SHOWN) {
                                    lines.remove();
                                }
                            })
                    .run();
        } catch (Exception | Violation expected) {
            return String.join("\n", lines);
        }
        return "It does not fail again.";
    }

    /** Runs a seed and logs all that happens. */
    static void replay(long seed) throws Exception {
        new Simulation(seed, Variant.SOUND, LOG::warn).run();
    }
}
