// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.plan.Assignment;
import io.meces.core.plan.MinimalMoveStrategy;
import io.meces.core.plan.VertexLoad;
import java.util.SplittableRandom;

/** Plans rescales: any assignment at all, or one that is balanced, as a scenario says. */
final class RandomAssignments {

    private final Scenario scenario;

    /** How many plans have been made. */
    private int plans;

    RandomAssignments(Scenario scenario) {
        this.scenario = scenario;
    }

    Assignment target(Assignment current, int parallelism, VertexLoad load) {
        if (scenario.settings().uniform) {
            return new MinimalMoveStrategy().target(current, parallelism, load);
        }
        // not of the schedule's random numbers: a plan may be made for nothing
        SplittableRandom random = new SplittableRandom(scenario.scheduleSeed() * 31 + ++plans);
        int[] owners = current.toArray();
        boolean few = random.nextBoolean();
        for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
            if (owners[keyGroup] >= parallelism || !few || random.nextInt(3) == 0) {
                owners[keyGroup] = random.nextInt(parallelism);
            }
        }
        // each gets at least one
        for (int subtask = 0; subtask < parallelism; subtask++) {
            int[] counts = new int[Math.max(current.parallelism(), parallelism)];
            for (int owner : owners) {
                counts[owner]++;
            }
            for (int keyGroup = 0; counts[subtask] == 0; keyGroup++) {
                if (counts[owners[keyGroup]] > 1) {
                    counts[owners[keyGroup]]--;
                    counts[subtask]++;
                    owners[keyGroup] = subtask;
                }
            }
        }
        return Assignment.of(owners);
    }
}
