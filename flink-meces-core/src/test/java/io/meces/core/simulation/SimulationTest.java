// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rescales, checkpoints and failures under random schedules, checked after each event.
 *
 * <p>{@code -Dmeces.simulation.seed=N} replays one seed and logs what happens; {@code
 * -Dmeces.simulation.seeds=N} runs that many.
 */
class SimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(SimulationTest.class);

    @Test
    void losesRepeatsReordersAndDelaysNothing() {
        assumeTrue(Long.getLong("meces.simulation.seed") == null, "a single seed is replayed");
        long seeds = Long.getLong("meces.simulation.seeds", 10_000);
        long start = System.nanoTime();
        Simulation.Statistics all =
                LongStream.range(0, seeds)
                        .parallel()
                        .collect(
                                Simulation.Statistics::new,
                                (sum, seed) -> sum.add(Seeds.run(seed)),
                                Simulation.Statistics::add);
        LOG.info(
                "{} seeds, {} per second: {}",
                seeds,
                seeds * 1_000_000_000L / (System.nanoTime() - start),
                all);
        // otherwise the simulation would prove little
        assertThat(all.finished).isGreaterThan(seeds);
        assertThat(all.givenUp).isGreaterThan(seeds / 20);
        assertThat(all.aborted).isGreaterThan(seeds / 20);
        assertThat(all.resumed).isGreaterThan(seeds / 40);
        assertThat(all.steps).isGreaterThan(2 * seeds);
        assertThat(all.chains).isGreaterThan(seeds / 10);
        assertThat(all.handovers).isGreaterThan(seeds / 20);
        assertThat(all.watermarksAligned).isGreaterThan(seeds / 10);
        assertThat(all.pushed).isGreaterThan(4 * seeds);
        assertThat(all.onDemand).isGreaterThan(seeds / 5);
        assertThat(all.forwarded).isGreaterThan(seeds * 3 / 4);
        assertThat(all.parked).isGreaterThan(seeds);
        assertThat(all.timers).isGreaterThan(20 * seeds);
        assertThat(all.keysFetched).isGreaterThan(seeds / 2);
        assertThat(all.keysSkipped).isGreaterThan(seeds / 10);
        assertThat(all.dataParked).isGreaterThan(seeds / 4);
        assertThat(all.risesAmidData).isGreaterThan(seeds / 20);
        assertThat(all.checkpoints).isGreaterThan(seeds);
        assertThat(all.restarts).isGreaterThan(seeds / 4);
        assertThat(all.jobManagers).isGreaterThan(seeds / 20);
        assertThat(all.lost).isGreaterThan(seeds);
        assertThat(all.late).isGreaterThan(seeds / 20);
    }

    /** Faults that took more seeds than the test above has. */
    @ParameterizedTest
    @ValueSource(longs = {39_023, 40_419})
    void seedsThatHaveFoundAFault(long seed) {
        Seeds.run(seed);
    }

    @Test
    void replaysTheSeedOfTheSystemProperty() {
        Long seed = Long.getLong("meces.simulation.seed");
        assumeTrue(seed != null, "no seed is given");
        Seeds.replay(Scenario.of(seed), LOG::warn);
        Seeds.run(seed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void happensToTheLetterAgain(long seed) throws Exception {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        new Simulation(Scenario.of(seed), first::add).run();
        new Simulation(Scenario.of(seed), second::add).run();
        assertThat(first).hasSizeGreaterThan(10).isEqualTo(second);
        assertThat(first.hashCode()).isEqualTo(second.hashCode());
    }
}
