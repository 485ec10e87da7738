// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import io.meces.examples.keycount.CountResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Checks that each record was counted exactly once, in the order of its key. The order in which
 * results arrive does not matter: they say themselves whether the count was right. Not thread-safe.
 */
public final class ExactnessVerifier {
    private static final int MAX_EXAMPLES = 20;

    private final BitSet[] seenPerKey;
    private final SortedMap<Integer, Long> resultsPerSubtask = new TreeMap<>();
    private final List<String> examples = new ArrayList<>();
    private long results;
    private long distinct;
    private long duplicated;
    private long reordered;
    private long overtaken;
    private long unknown;

    /** A verifier for keys from 0 to {@code keys} - 1. */
    public ExactnessVerifier(int keys) {
        seenPerKey = new BitSet[keys];
    }

    /**
     * Takes the next result.
     *
     * @return whether there was one for the same record before
     */
    public boolean accept(CountResult result) {
        results++;
        resultsPerSubtask.merge(result.subtask, 1L, Long::sum);
        if (result.key < 0
                || result.key >= seenPerKey.length
                || result.sequence < 1
                || result.sequence > Integer.MAX_VALUE) {
            unknown++;
            example("unknown", result);
            return false;
        }
        if (result.count != result.sequence || !result.inSequence) {
            reordered++;
            example("reordered", result);
        }
        int key = (int) result.key;
        int sequence = (int) result.sequence;
        BitSet seen = seenPerKey[key];
        if (seen == null) {
            seen = new BitSet();
            seenPerKey[key] = seen;
        }
        if (seen.get(sequence)) {
            duplicated++;
            example("duplicated", result);
            return true;
        }
        if (seen.length() > sequence) {
            overtaken++;
        }
        seen.set(sequence);
        distinct++;
        return false;
    }

    /** Different records of which there is a result. */
    public long distinct() {
        return distinct;
    }

    /** What to say of the results so far, given how many records of each key were sent. */
    public Verdict verdict(int[] sentPerKey) {
        long records = 0;
        long lost = 0;
        long neverSent = unknown;
        for (int key = 0; key < sentPerKey.length; key++) {
            int sent = sentPerKey[key];
            records += sent;
            BitSet seen = seenPerKey[key] == null ? new BitSet() : seenPerKey[key];
            int seenOfSent = seen.get(1, sent + 1).cardinality();
            lost += sent - seenOfSent;
            if (seenOfSent < sent && examples.size() < MAX_EXAMPLES) {
                examples.add("lost: key " + key + ", record " + seen.nextClearBit(1));
            }
            neverSent += seen.cardinality() - seenOfSent;
        }
        return new Verdict(
                records,
                results,
                lost,
                duplicated,
                reordered,
                overtaken,
                neverSent,
                new TreeMap<>(resultsPerSubtask),
                new ArrayList<>(examples));
    }

    private void example(String kind, CountResult result) {
        if (examples.size() < MAX_EXAMPLES) {
            examples.add(
                    String.format(
                            "%s: key %d, record %d, counted as number %d by subtask %d",
                            kind, result.key, result.sequence, result.count, result.subtask));
        }
    }

    /** The outcome of a verification. */
    public static final class Verdict {
        public final long records;
        public final long results;

        /** Records without a result. */
        public final long lost;

        /** Results of records that had one already. */
        public final long duplicated;

        /** Results whose count is wrong or whose record did not follow its predecessor. */
        public final long reordered;

        /** Results, counted in order, that came in behind one of a later record of their key. */
        public final long overtaken;

        /** Results of records that nobody sent. */
        public final long unknown;

        /** How many results each subtask has sent. */
        public final SortedMap<Integer, Long> resultsPerSubtask;

        /** Some of what was wrong, in words. */
        public final List<String> examples;

        private Verdict(
                long records,
                long results,
                long lost,
                long duplicated,
                long reordered,
                long overtaken,
                long unknown,
                SortedMap<Integer, Long> resultsPerSubtask,
                List<String> examples) {
            this.records = records;
            this.results = results;
            this.lost = lost;
            this.duplicated = duplicated;
            this.reordered = reordered;
            this.overtaken = overtaken;
            this.unknown = unknown;
            this.resultsPerSubtask = resultsPerSubtask;
            this.examples = examples;
        }

        public boolean isExact() {
            return duplicated == 0 && isExactBesidesDuplicates();
        }

        /** Whether nothing is wrong but that there are duplicates. */
        public boolean isExactBesidesDuplicates() {
            return lost == 0 && reordered == 0 && unknown == 0;
        }
    }
}
