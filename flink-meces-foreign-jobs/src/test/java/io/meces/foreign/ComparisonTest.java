// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    @Test
    void resultsMayHaveAnyOrder() {
        assertThat(Comparison.RESULTS.differences(list("a", "b", "a"), list("b", "a", "a")))
                .isEmpty();
        assertThat(Comparison.RESULTS.differences(list("a", "b", "a"), list("b", "a", "c")))
                .containsExactly("1 missing: a", "1 too many: c");
    }

    @Test
    void resultsOfAKeyHaveOneOrder() {
        List<String> stock = list("k: 1", "l: 1", "k: 2");
        assertThat(Comparison.ORDER_PER_KEY.differences(stock, list("l: 1", "k: 1", "k: 2")))
                .isEmpty();
        assertThat(Comparison.ORDER_PER_KEY.differences(stock, list("k: 2", "k: 1", "l: 1")))
                .containsExactly("order of key k: at 0 k: 2 in the place of k: 1");
    }

    @Test
    void changelogsMayDifferOnTheWayToTheSameTable() {
        List<String> stock = list("(true,1)", "(false,1)", "(true,2)");
        assertThat(Comparison.CHANGELOG.differences(stock, list("(true,2)"))).isEmpty();
        assertThat(Comparison.CHANGELOG.differences(stock, list("(true,1)")))
                .containsExactly("1 too many: 1)", "1 missing: 2)");
    }

    @Test
    void aRowIsNotRetractedBeforeItIsAdded() {
        List<String> stock = list("(true,1)", "(false,1)", "(true,2)");
        assertThat(
                        Comparison.CHANGELOG.differences(
                                stock, list("(false,1)", "(true,1)", "(true,2)")))
                .containsExactly("rescaled: false retraction at 0 of 1)");
    }

    private static List<String> list(String... lines) {
        return Arrays.asList(lines);
    }
}
