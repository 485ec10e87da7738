// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import javax.annotation.Nullable;

/** Runs scenarios and tells what is wrong with them. Thread-safe. */
final class Seeds {

    private static final int LINES_SHOWN = 60;
    private static final int RUNS_TO_SHRINK = 8_000;

    private Seeds() {}

    /** What is wrong with a scenario; null if nothing. */
    @Nullable
    static Throwable failureOf(Scenario scenario) {
        try {
            new Simulation(scenario, null).run();
            return null;
        } catch (Exception | AssertionError e) {
            return e;
        }
    }

    /** What is wrong with a seed; null if nothing. */
    @Nullable
    static Throwable failureOf(long seed) {
        return failureOf(Scenario.of(seed));
    }

    /** What is wrong with seeds; null if nothing. */
    static LongFunction<Throwable> all() {
        return Seeds::failureOf;
    }

    /**
     * Runs a seed.
     *
     * @throws AssertionError if it fails: how to replay it, and a smaller scenario that fails too
     */
    static Simulation.Statistics run(long seed) {
        try {
            return new Simulation(Scenario.of(seed), null).run();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(describe(seed, e), e);
        }
    }

    /** Tells how a seed fails, how it is replayed, and what is left of it when it is shrunk. */
    static String describe(long seed, Throwable failure) {
        Scenario shrunk =
                Shrinker.shrink(
                        Scenario.of(seed), scenario -> failureOf(scenario) != null, RUNS_TO_SHRINK);
        return "Seed "
                + seed
                + " fails: "
                + failure
                + "\nbin/meces-simulate --seed "
                + seed
                + " replays it."
                + "\nShrunk to "
                + shrunk.items()
                + " elements and "
                + shrunk.happenings().size()
                + " events from outside:\n"
                + shrunk
                + "\nfails: "
                + failureOf(shrunk)
                + "\nIts last events:\n"
                + lastLines(shrunk);
    }

    private static String lastLines(Scenario scenario) {
        ArrayDeque<String> lines = new ArrayDeque<>();
        replay(
                scenario,
                line -> {
                    lines.add(line);
                    if (lines.size() > LINES_SHOWN) {
                        lines.remove();
                    }
                });
        return String.join("\n", lines);
    }

    /** Runs a scenario and tells all that happens, up to its failure. */
    static void replay(Scenario scenario, Consumer<String> log) {
        try {
            log.accept("end: " + new Simulation(scenario, log).run());
        } catch (Exception | AssertionError e) {
            log.accept("failure: " + e);
        }
    }
}
