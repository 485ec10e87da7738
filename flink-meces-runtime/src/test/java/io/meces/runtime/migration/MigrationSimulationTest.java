/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rescales under random schedules, checked after each event.
 *
 * <p>{@code -Dmeces.simulation.seed=N} replays one seed and logs what happens; {@code
 * -Dmeces.simulation.seeds=N} runs that many.
 */
class MigrationSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(MigrationSimulationTest.class);

    @Test
    void losesReordersAndDelaysNothing() {
        assumeTrue(Long.getLong("meces.simulation.seed") == null, "a single seed is replayed");
        long seeds = Long.getLong("meces.simulation.seeds", 3_000);
        long events = 0;
        long steps = 0;
        long chains = 0;
        long givenUp = 0;
        long timers = 0;
        long pushed = 0;
        long onDemand = 0;
        long forwarded = 0;
        long parked = 0;
        long handovers = 0;
        long broadcasts = 0;
        long start = System.nanoTime();
        for (long seed = 0; seed < seeds; seed++) {
            Simulation simulation = Seeds.run(seed);
            events += simulation.events();
            steps += simulation.controller().stepsStarted();
            chains += simulation.controller().chains();
            givenUp += simulation.controller().plansGivenUp();
            timers += simulation.ledger().timersFired();
            pushed += simulation.unitsPushed();
            onDemand += simulation.unitsOnDemand();
            forwarded += simulation.recordsForwarded();
            parked += simulation.recordsParked();
            handovers += simulation.controller().handovers();
            broadcasts += simulation.ledger().broadcasts();
        }
        LOG.info(
                "{} seeds, {} events: {} steps ({} with a subtask that gave and took), {} rescales"
                        + " given up, {} units pushed, {} on demand, {} records forwarded, {}"
                        + " parked, {} timers, {} broadcast records, {} handovers of broadcast"
                        + " state, {} seeds per second",
                seeds,
                events,
                steps,
                chains,
                givenUp,
                pushed,
                onDemand,
                forwarded,
                parked,
                timers,
                broadcasts,
                handovers,
                seeds * 1_000_000_000L / (System.nanoTime() - start));
        // otherwise the simulation would prove little
        assertThat(steps).isGreaterThan(2 * seeds);
        assertThat(pushed).isGreaterThan(2 * seeds);
        assertThat(onDemand).isGreaterThan(seeds);
        assertThat(forwarded).isGreaterThan(seeds);
        assertThat(parked).isGreaterThan(seeds);
        assertThat(timers).isGreaterThan(10 * seeds);
        assertThat(chains).isGreaterThan(seeds / 10);
        assertThat(givenUp).isGreaterThan(seeds / 10);
        assertThat(broadcasts).isGreaterThan(10 * seeds);
        assertThat(handovers).isGreaterThan(seeds / 10);
    }

    @Test
    void replaysTheSeedOfTheSystemProperty() throws Exception {
        Long seed = Long.getLong("meces.simulation.seed");
        assumeTrue(seed != null, "no seed is given");
        Seeds.replay(seed);
    }

    @Test
    void isDeterministic() throws Exception {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        new Simulation(7, Variant.SOUND, first::add).run();
        new Simulation(7, Variant.SOUND, second::add).run();
        assertThat(first).hasSizeGreaterThan(100).isEqualTo(second);
    }
}
