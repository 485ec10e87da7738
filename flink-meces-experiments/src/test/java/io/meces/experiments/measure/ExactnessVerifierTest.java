// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.examples.keycount.CountResult;
import org.junit.jupiter.api.Test;

/** Whether the verifier sees what is wrong. */
class ExactnessVerifierTest {
    private final ExactnessVerifier verifier = new ExactnessVerifier(2);

    @Test
    void allRecordsOnceIsExactInWhateverOrderTheyArrive() {
        accept(1, 1);
        accept(0, 2);
        accept(0, 1);

        Verdict verdict = verifier.verdict(new int[] {2, 1});

        assertThat(verdict.isExact()).isTrue();
        assertThat(verdict.records).isEqualTo(3);
        assertThat(verdict.results).isEqualTo(3);
        assertThat(verifier.distinct()).isEqualTo(3);
    }

    @Test
    void aMissingRecordIsLost() {
        accept(0, 1);
        accept(0, 3);

        Verdict verdict = verifier.verdict(new int[] {3, 1});

        assertThat(verdict.lost).isEqualTo(2);
        assertThat(verdict.isExact()).isFalse();
    }

    @Test
    void aSecondResultIsADuplicate() {
        accept(0, 1);
        accept(0, 1);

        Verdict verdict = verifier.verdict(new int[] {1, 0});

        assertThat(verdict.duplicated).isEqualTo(1);
        assertThat(verdict.lost).isZero();
        assertThat(verdict.isExact()).isFalse();
        assertThat(verifier.distinct()).isEqualTo(1);
    }

    @Test
    void aDuplicateDoesNotMakeUpForALoss() {
        accept(0, 1);
        accept(0, 1);

        Verdict verdict = verifier.verdict(new int[] {2, 0});

        assertThat(verdict.results).isEqualTo(verdict.records);
        assertThat(verdict.lost).isEqualTo(1);
        assertThat(verdict.duplicated).isEqualTo(1);
    }

    @Test
    void aCountThatIsNotTheSequenceNumberIsReordered() {
        verifier.accept(new CountResult(0, 2, 1, 0, 0, 0, true, 0, false));

        assertThat(verifier.verdict(new int[] {1, 0}).reordered).isEqualTo(1);
        assertThat(verifier.verdict(new int[] {1, 0}).isExact()).isFalse();
    }

    @Test
    void aRecordThatDidNotFollowItsPredecessorIsReordered() {
        verifier.accept(new CountResult(0, 1, 1, 0, 0, 0, false, 0, false));

        assertThat(verifier.verdict(new int[] {1, 0}).reordered).isEqualTo(1);
    }

    @Test
    void resultsOfRecordsThatWereNotSentAreUnknown() {
        accept(0, 2);
        accept(2, 1);
        accept(-1, 1);
        accept(0, 0);

        Verdict verdict = verifier.verdict(new int[] {1, 0});

        assertThat(verdict.unknown).isEqualTo(4);
        assertThat(verdict.lost).isEqualTo(1);
        assertThat(verdict.isExact()).isFalse();
    }

    @Test
    void whatIsWrongIsPutIntoWords() {
        accept(0, 1);
        accept(0, 1);
        verifier.accept(new CountResult(1, 5, 1, 0, 0, 2, true, 0, false));

        Verdict verdict = verifier.verdict(new int[] {3, 1});

        assertThat(verdict.examples)
                .containsExactly(
                        "duplicated: key 0, record 1, counted as number 1 by subtask 0",
                        "reordered: key 1, record 1, counted as number 5 by subtask 2",
                        "lost: key 0, record 2");
        assertThat(verdict.resultsPerSubtask).containsEntry(0, 2L).containsEntry(2, 1L);
    }

    @Test
    void theExamplesAreFew() {
        for (int i = 0; i < 1_000; i++) {
            accept(0, 1);
        }

        assertThat(verifier.verdict(new int[] {1, 1}).examples).hasSizeLessThan(50);
    }

    private void accept(long key, long sequence) {
        verifier.accept(new CountResult(key, sequence, sequence, 0, 0, 0, true, 0, false));
    }
}
