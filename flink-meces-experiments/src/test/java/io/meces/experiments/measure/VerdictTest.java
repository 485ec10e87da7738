// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VerdictTest {
    @Test
    void whatComesAgainAfterARestartIsNamedAReplay() {
        Verdict verdict = verdict(107, 0, 0, 0);
        assertThat(verdict.isExact()).isFalse();
        assertThat(verdict).hasToString("NOT EXACT");

        verdict.excuseReplays();

        assertThat(verdict.isExact()).isTrue();
        assertThat(verdict.replayed).isEqualTo(7);
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.examples).isEmpty();
        assertThat(verdict).hasToString("exact, 7 results replayed after a restart");
    }

    @Test
    void aRestartExcusesNothingElse() {
        Verdict lost = verdict(106, 1, 0, 0);
        lost.excuseReplays();
        assertThat(lost.isExact()).isFalse();
        assertThat(lost.examples).containsExactly("duplicated: key 1");
        Verdict reordered = verdict(107, 0, 1, 0);
        reordered.excuseReplays();
        assertThat(reordered.isExact()).isFalse();
        Verdict unknown = verdict(108, 0, 0, 1);
        unknown.excuseReplays();
        assertThat(unknown.isExact()).isFalse();
    }

    @Test
    void whatIsNotKnownIsNotExact() {
        assertThat(new Verdict().isExact()).isFalse();
    }

    private static Verdict verdict(long results, long lost, long reordered, long unknown) {
        Verdict verdict = new Verdict();
        verdict.records = 100;
        verdict.results = results;
        verdict.lost = lost;
        verdict.duplicated = 7;
        verdict.reordered = reordered;
        verdict.unknown = unknown;
        verdict.example("duplicated: key 1");
        return verdict;
    }
}
