// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/** How the results of a run compare with what they should be. */
final class Exactness {
    final long expected;
    final long results;
    final long lost;
    final long duplicated;

    /**
     * Results that a job wrote after the savepoint with which it was stopped, and its successor
     * again. Flink 1.12 goes on with what is in its network until all has stopped; a sink that
     * writes at least once shows it. Not among {@link #duplicated}.
     */
    final long repeatedAtStop;

    /**
     * Results that a job wrote again after Flink had restarted it from a checkpoint, as a sink does
     * that writes at least once. Not among {@link #duplicated}.
     */
    final long replayed;

    /** Null where no order is promised. */
    @Nullable final Long reordered;

    /** Results that should not be there. */
    final long unknown;

    /** Some of what was wrong, in words. */
    final List<String> examples;

    Exactness(
            long expected,
            long results,
            long lost,
            long duplicated,
            long repeatedAtStop,
            @Nullable Long reordered,
            long unknown,
            List<String> examples) {
        this(expected, results, lost, duplicated, repeatedAtStop, 0, reordered, unknown, examples);
    }

    private Exactness(
            long expected,
            long results,
            long lost,
            long duplicated,
            long repeatedAtStop,
            long replayed,
            @Nullable Long reordered,
            long unknown,
            List<String> examples) {
        this.expected = expected;
        this.results = results;
        this.lost = lost;
        this.duplicated = duplicated;
        this.repeatedAtStop = repeatedAtStop;
        this.replayed = replayed;
        this.reordered = reordered;
        this.unknown = unknown;
        this.examples = examples;
    }

    /**
     * What it means for a job that Flink has restarted on its own: the same, but what came twice,
     * with the same count, is a replay.
     */
    Exactness ofRestartedJob() {
        boolean nothingElse = lost == 0 && unknown == 0 && (reordered == null || reordered == 0);
        return new Exactness(
                expected,
                results,
                lost,
                0,
                repeatedAtStop,
                replayed + duplicated,
                reordered,
                unknown,
                nothingElse ? Collections.emptyList() : examples);
    }

    /** In a few words. */
    @Override
    public String toString() {
        if (!isExact()) {
            return "NOT EXACT";
        }
        return replayed == 0 ? "exact" : "exact, " + replayed + " results replayed after a restart";
    }

    boolean isExact() {
        return lost == 0
                && duplicated == 0
                && unknown == 0
                && (reordered == null || reordered == 0)
                && results == expected + repeatedAtStop + replayed;
    }
}
