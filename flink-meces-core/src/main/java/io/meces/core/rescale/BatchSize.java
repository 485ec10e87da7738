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

package io.meces.core.rescale;

import io.meces.core.migration.ReadAheadUse;
import io.meces.core.plan.Planner;
import io.meces.core.plan.RescalePlan;
import io.meces.core.plan.Step;
import java.util.List;

/**
 * How many key-groups a subtask gives or takes in a step. How large they are on average, the last
 * checkpoint tells; without one the first step has one key-group. Each one after that has as many
 * as would have fitted into the bytes allowed, had they been as large as those of the step before,
 * and at most as many as there is time for ({@link StepTimes}); but so many that the steps which
 * are left do not read {@link #withoutReadingTooMuch too much} ahead. Immutable.
 */
final class BatchSize {

    private static final int PROBE = 1;
    private static final int GENTLY = 2;

    private final int most;
    private final long bytes;

    /**
     * @param most never more key-groups than that, but by {@link #withoutReadingTooMuch}
     * @param bytes how much state they may have; {@link Long#MAX_VALUE}: that does not matter
     */
    BatchSize(int most, long bytes) {
        this.most = most;
        this.bytes = bytes;
    }

    /**
     * Cuts a plan whose steps are as large as they may be by what is known of the state, or has it
     * begin with a step by which to measure.
     *
     * @param known how much state all key-groups had in the last checkpoint; -1: there is none
     */
    RescalePlan begin(RescalePlan plan, long known) {
        if (bytes == Long.MAX_VALUE || most <= PROBE || plan.steps().isEmpty()) {
            return plan;
        }
        return known < 0
                ? Planner.recut(Planner.recut(plan, 0, PROBE), 1, most)
                : Planner.recut(plan, 0, fitting(plan.to().keyGroups(), known));
    }

    /**
     * Has a plan begin with a step that is not too large for a first one.
     *
     * @param first the most key-groups that a subtask may give or take in it
     */
    RescalePlan beginWith(RescalePlan plan, int first) {
        return plan.steps().isEmpty() || plan.steps().get(0).size() <= first
                ? plan
                : Planner.recut(plan, 0, first);
    }

    /**
     * Cuts what is left of a plan anew.
     *
     * @param completed how many of its steps have been carried out, at least one
     * @param lastBytes how much state moved in the last one of them
     * @param inTime how many key-groups a subtask has time to give or take in a step; {@link
     *     Integer#MAX_VALUE}: time does not matter, nor has it so far
     */
    RescalePlan goOn(RescalePlan plan, int completed, long lastBytes, int inTime) {
        if (bytes == Long.MAX_VALUE && inTime == Integer.MAX_VALUE) {
            return plan;
        }
        int moved = plan.steps().get(completed - 1).moves().size();
        int fitting = bytes == Long.MAX_VALUE ? most : fitting(moved, lastBytes);
        return Planner.recut(plan, completed, Math.min(fitting, inTime));
    }

    /**
     * Has fewer and larger steps left, whatever limits them otherwise, if so many would read too
     * much ahead: under overload, each one reads what the network buffers hold. The next one is at
     * most twice as large as the last one.
     *
     * @param completed how many of the steps have been carried out, at least one
     * @param last what the last one of them has read ahead
     */
    static RescalePlan withoutReadingTooMuch(RescalePlan plan, int completed, ReadAheadUse last) {
        List<Step> left = plan.steps().subList(completed, plan.steps().size());
        int affordable = last.affordableSteps();
        if (left.size() <= affordable) {
            return plan;
        }
        int keyGroups = left.stream().mapToInt(Step::size).sum();
        int wanted = (keyGroups + affordable - 1) / affordable;
        int size = Math.min(wanted, GENTLY * plan.steps().get(completed - 1).size());
        return size <= left.get(0).size() ? plan : Planner.recut(plan, completed, size);
    }

    /** How many key-groups may move if so many have so much state. */
    private int fitting(int keyGroups, long state) {
        double fitting = state == 0 ? most : (double) bytes * keyGroups / state;
        return (int) Math.max(1, Math.min(fitting, most));
    }
}
