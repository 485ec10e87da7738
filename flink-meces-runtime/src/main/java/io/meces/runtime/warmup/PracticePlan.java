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

package io.meces.runtime.warmup;

import io.meces.core.plan.Assignment;
import io.meces.core.plan.Planner;
import io.meces.core.plan.Repartitioning;
import io.meces.core.plan.RescalePlan;
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
        RescalePlan plan = Planner.plan(from, to, BATCH_SIZE);
        return Planner.recut(plan, 1, 1).steps().size();
    }
}
