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

package io.meces.runtime.rescale;

import io.meces.runtime.plan.Planner;
import io.meces.runtime.plan.RescalePlan;

/**
 * How many key-groups a subtask gives or takes in a step. How large they are is not known before
 * some have moved: so the first step has one, and each one after that as many as would have fitted
 * into the bytes allowed, had they been as large as those of the step before. Immutable.
 */
final class BatchSize {

    private static final int PROBE = 1;

    private final int most;
    private final long bytes;

    /**
     * @param most never more key-groups than that
     * @param bytes how much state they may have; {@link Long#MAX_VALUE}: that does not matter
     */
    BatchSize(int most, long bytes) {
        this.most = most;
        this.bytes = bytes;
    }

    /** Has a plan whose steps are as large as they may be begin with one by which to measure. */
    RescalePlan begin(RescalePlan plan) {
        if (bytes == Long.MAX_VALUE || most <= PROBE || plan.steps().isEmpty()) {
            return plan;
        }
        return Planner.recut(Planner.recut(plan, 0, PROBE), 1, most);
    }

    /**
     * Cuts what is left of a plan anew.
     *
     * @param completed how many of its steps have been carried out, at least one
     * @param lastBytes how much state moved in the last one of them
     */
    RescalePlan goOn(RescalePlan plan, int completed, long lastBytes) {
        if (bytes == Long.MAX_VALUE) {
            return plan;
        }
        int moved = plan.steps().get(completed - 1).moves().size();
        long fitting = lastBytes == 0 ? most : (long) ((double) bytes * moved / lastBytes);
        return Planner.recut(plan, completed, (int) Math.max(1, Math.min(fitting, most)));
    }
}
