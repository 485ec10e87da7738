// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts the whole way from one assignment to another into steps, as {@link MovesLeft} cuts each.
 * Deterministic, without state.
 */
public final class Planner {

    private Planner() {}

    /**
     * The plan from one assignment to the other.
     *
     * @param batchSize key-groups that a subtask gives, and that it takes, at most in one step
     * @throws IllegalArgumentException if the batch size is below 1 or the assignments are of
     *     different numbers of key-groups
     */
    public static RescalePlan plan(Assignment current, Assignment target, int batchSize) {
        if (batchSize < 1) {
            throw new IllegalArgumentException(
                    "A batch size of " + batchSize + " moves nothing: it must be at least 1.");
        }
        MovesLeft left = new MovesLeft(current, target);
        List<Step> steps = new ArrayList<>();
        while (!left.isEmpty()) {
            Step step = left.cut(batchSize);
            left.remove(step);
            steps.add(step);
        }
        return new RescalePlan(current, target, steps);
    }
}
