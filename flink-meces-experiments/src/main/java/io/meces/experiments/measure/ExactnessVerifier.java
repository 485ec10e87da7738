// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import io.meces.examples.keycount.CountResult;
import java.util.BitSet;

/**
 * Checks that each record was counted exactly once, in the order of its key. The order in which
 * results arrive does not matter: they say themselves whether the count was right. Not thread-safe.
 */
public final class ExactnessVerifier {
    private final BitSet[] seenPerKey;
    private final Verdict verdict = new Verdict();
    private long reordered;
    private long outOfRange;
    private long distinct;

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
        verdict.results++;
        verdict.resultsPerSubtask.merge(result.subtask, 1L, Long::sum);
        if (result.key < 0
                || result.key >= seenPerKey.length
                || result.sequence < 1
                || result.sequence > Integer.MAX_VALUE) {
            outOfRange++;
            example("unknown", result);
            return false;
        }
        if (result.count != result.sequence || !result.inSequence) {
            reordered++;
            example("reordered", result);
        }
        int key = (int) result.key;
        int sequence = (int) result.sequence;
        if (seenPerKey[key] == null) {
            seenPerKey[key] = new BitSet();
        }
        BitSet seen = seenPerKey[key];
        if (seen.get(sequence)) {
            verdict.duplicated++;
            example("duplicated", result);
            return true;
        }
        if (seen.length() > sequence) {
            verdict.overtakenInTopic++;
        }
        seen.set(sequence);
        distinct++;
        return false;
    }

    /** Different records of which there is a result. */
    public long distinct() {
        return distinct;
    }

    /** What to say of the results, given how many records of each key were sent. */
    public Verdict verdict(int[] sentPerKey) {
        verdict.records = 0;
        verdict.lost = 0L;
        verdict.reordered = reordered;
        verdict.unknown = outOfRange;
        for (int key = 0; key < sentPerKey.length; key++) {
            int sent = sentPerKey[key];
            BitSet seen = seenPerKey[key] == null ? new BitSet() : seenPerKey[key];
            int seenOfSent = seen.get(1, sent + 1).cardinality();
            verdict.records += sent;
            verdict.lost += sent - seenOfSent;
            verdict.unknown += seen.cardinality() - seenOfSent;
            if (seenOfSent < sent) {
                verdict.example("lost: key " + key + ", record " + seen.nextClearBit(1));
            }
        }
        return verdict;
    }

    private void example(String kind, CountResult result) {
        verdict.example(
                String.format(
                        "%s: key %d, record %d, counted as number %d by subtask %d",
                        kind, result.key, result.sequence, result.count, result.subtask));
    }
}
