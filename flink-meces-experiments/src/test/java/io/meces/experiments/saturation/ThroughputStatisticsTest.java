// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.meces.examples.saturation.CountReading;
import io.meces.experiments.measure.Medians;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From readings to throughput, and from runs to figures. */
class ThroughputStatisticsTest {
    private final Variant stock = Variant.stock();
    private final Variant elastic = Variant.elastic(8);

    @Test
    void theMedianIsTheMiddle() {
        assertThat(Medians.of(Arrays.asList(3.0, 9.0, 1.0))).isEqualTo(3);
        assertThat(Medians.of(Arrays.asList(4.0, 1.0, 2.0, 9.0))).isEqualTo(3);
        assertThat(Medians.of(Collections.singletonList(7.0))).isEqualTo(7);
        assertThat(Medians.of(Collections.emptyList())).isNaN();
    }

    @Test
    void variantsAreComparedByMediansAndByRounds() {
        ThroughputStatistics statistics =
                new ThroughputStatistics(
                        Arrays.asList(
                                run(1, stock, 100),
                                run(1, elastic, 90),
                                run(2, stock, 200),
                                run(2, elastic, 190),
                                run(3, stock, 50),
                                run(3, elastic, 55)));

        assertThat(statistics.median(stock)).isEqualTo(100);
        assertThat(statistics.median(elastic)).isEqualTo(90);
        assertThat(statistics.ratioOfMedians(elastic, stock)).isEqualTo(0.9);
        assertThat(statistics.pairedRatios(elastic, stock)).containsExactly(0.9, 0.95, 1.1);
    }

    @Test
    void aRoundThatLacksAVariantIsNotCompared() {
        ThroughputStatistics statistics =
                new ThroughputStatistics(
                        Arrays.asList(run(1, stock, 100), run(1, elastic, 90), run(2, stock, 200)));

        assertThat(statistics.pairedRatios(elastic, stock)).containsExactly(0.9);
        assertThat(statistics.median(Variant.elastic(128))).isNaN();
        assertThat(statistics.ratioOfMedians(Variant.elastic(128), stock)).isNaN();
    }

    @Test
    void eachSubtaskHasItsOwnClock() {
        List<CountReading> before =
                Arrays.asList(new CountReading(0, 10), new CountReading(5_000_000_000L, 0));
        List<CountReading> after =
                Arrays.asList(
                        new CountReading(2_000_000_000L, 210),
                        new CountReading(6_000_000_000L, 50));

        ThroughputRun run = ThroughputRun.of(1, stock, before, after, 3, 4);

        assertThat(run.recordsPerSecond).isCloseTo(150, within(1e-9));
        assertThat(run.seconds).isCloseTo(1, within(1e-9));
        assertThat(run.checkpointsCompleted).isEqualTo(3);
    }

    @Test
    void turnsOfOthersAreNotCounted() {
        CountReading before = new CountReading(5_000_000_000L, 10).withoutPauses(1_000_000_000L);
        CountReading after = new CountReading(9_000_000_000L, 210).withoutPauses(4_000_000_000L);

        assertThat(after.perSecondSince(before)).isCloseTo(200, within(1e-9));
    }

    @Test
    void aReadingSurvivesItsText() {
        CountReading reading =
                CountReading.parse(new CountReading(-5, 123_456_789_012L).toString());

        assertThat(reading.nanos).isEqualTo(-5);
        assertThat(reading.records).isEqualTo(123_456_789_012L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "5", "1:", ":1", "1:2:3", "a:b"})
    void otherTextIsNoReading(String text) {
        assertThatThrownBy(() -> CountReading.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readingsHaveAnOrder() {
        CountReading reading = new CountReading(1_000, 5);

        assertThatThrownBy(() -> reading.perSecondSince(reading))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CountReading(2_000, 4).perSecondSince(reading))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static ThroughputRun run(int round, Variant variant, double recordsPerSecond) {
        return new ThroughputRun(round, variant, recordsPerSecond, 10, 2, 0);
    }
}
