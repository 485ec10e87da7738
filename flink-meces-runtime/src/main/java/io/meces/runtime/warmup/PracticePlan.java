// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.warmup;

import io.meces.core.plan.Assignment;
import io.meces.core.plan.MovesLeft;
import io.meces.core.plan.Planner;
import io.meces.core.plan.Repartitioning;
import io.meces.core.plan.VertexLoad;

/** Plans rescales that nobody asks for, with each strategy of ours. Used by one thread. */
final class PracticePlan {

    private static final int ROUNDS = 20;
    private static final int KEY_GROUPS = 128;
    private static final int BATCH_SIZE = 16;

    private PracticePlan() {}

    /**
     * Takes some tens of milliseconds.
     *
     * @return how many steps were planned
     */
    static int run() {
        int steps = 0;
        for (String strategy : Repartitioning.names()) {
            for (int round = 0; round < ROUNDS; round++) {
                steps += plan(Repartitioning.named(strategy), 2 + round % 4);
            }
        }
        return steps;
    }

    private static int plan(Repartitioning strategy, int parallelism) {
        Assignment from = Assignment.contiguous(KEY_GROUPS, parallelism);
        Assignment to = strategy.target(from, parallelism + 1, VertexLoad.unknown());
        MovesLeft left = new MovesLeft(from, to);
        int steps = Planner.plan(from, to, BATCH_SIZE).steps().size();
        while (!left.isEmpty()) {
            left.remove(left.cut(1 + steps % BATCH_SIZE));
            steps++;
        }
        return steps;
    }
}
