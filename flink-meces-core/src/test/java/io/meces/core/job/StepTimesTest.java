// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepTimesTest {

    private static final double MS = 1_000_000;
    private static final double WANTED_MS = 50;

    private final StepTimes times = new StepTimes((long) (WANTED_MS * MS));

    /** The sizes of so many steps that take {@code fixed + perKeyGroup * size}, in ms. */
    private List<Integer> sizes(int steps, double fixed, double perKeyGroup, double noise) {
        Random random = new Random(1);
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            int size = times.next();
            sizes.add(size);
            double factor = 1 + noise * (2 * random.nextDouble() - 1);
            times.add(size, (long) (factor * (fixed + perKeyGroup * size) * MS));
        }
        return sizes;
    }

    @ParameterizedTest
    @CsvSource({"20, 6, 5", "0, 10, 5", "10, 2, 20", "20, 0.5, 60"})
    void stepsComeToTakeAsLongAsWanted(double fixed, double perKeyGroup, int size) {
        List<Integer> sizes = sizes(12, fixed, perKeyGroup, 0);
        assertThat(sizes.get(0)).isEqualTo(StepTimes.FIRST);
        assertThat(sizes.subList(5, 12))
                .allSatisfy(s -> assertThat(s).isBetween(size - 1, size + 1));
    }

    @Test
    void aStepThatTakesTooLongHoweverSmallIsNotCutIntoManyOfTheKind() {
        // a kind of transition service: 150 ms for each step, 6 ms for each key-group
        List<Integer> sizes = sizes(10, 150, 6, 0);
        assertThat(sizes.subList(5, 10)).allSatisfy(s -> assertThat(s).isBetween(20, 25));
    }

    @Test
    void aSlowStartIsNotHeldAgainstLaterSteps() {
        times.add(4, (long) (600 * MS));
        times.add(2, (long) (300 * MS));
        // 300 ms, twice the 150 ms, have room for 15; the first steps said that 1 is too much
        List<Integer> sizes = sizes(40, 150, 10, 0);
        assertThat(sizes.get(0)).isEqualTo(1);
        assertThat(sizes.subList(30, 40)).allSatisfy(s -> assertThat(s).isBetween(13, 17));
    }

    @Test
    void stepsBecomeLargerOrSmallerByTheFactorTwoAtMost() {
        assertThat(sizes(4, 0, 0, 0)).containsExactly(4, 8, 16, 32);
        for (int i = 0; i < 10; i++) {
            times.add(32, (long) (10_000 * MS));
        }
        assertThat(times.next()).isEqualTo(16);
    }

    @Test
    void aStepHasAtLeastOneKeyGroup() {
        assertThat(sizes(6, 0, 500, 0)).containsExactly(4, 2, 1, 1, 1, 1);
    }

    @Test
    void oneStepThatWasDisturbedIsForgotten() {
        sizes(6, 20, 6, 0);
        times.add(5, (long) (600 * MS));
        assertThat(sizes(4, 20, 6, 0)).allSatisfy(s -> assertThat(s).isBetween(2, 6));
        assertThat(sizes(4, 20, 6, 0)).allSatisfy(s -> assertThat(s).isBetween(4, 6));
    }

    @Test
    void timesThatVaryDoNotMisleadForLong() {
        List<Integer> sizes = sizes(40, 20, 6, 0.4);
        double mean = sizes.stream().skip(5).mapToInt(Integer::intValue).average().orElse(0);
        assertThat(mean).isBetween(3.0, 8.0);
        assertThat(sizes.subList(5, 40)).allSatisfy(s -> assertThat(s).isBetween(2, 20));
    }
}
