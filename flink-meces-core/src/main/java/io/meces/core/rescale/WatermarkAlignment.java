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

import io.meces.core.command.TaskCommand;
import io.meces.core.plan.Step;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Has event time go on at donors and receivers while they wait for the next step: receivers may
 * rise to what all donors have reached, and these tell when they have got further. How far that is,
 * {@link Participants} know.
 *
 * <p>Owned by the JobMaster's main thread.
 */
final class WatermarkAlignment {

    /** How often, at most. */
    private static final Duration PACE = Duration.ofMillis(5);

    /** How much more seldom for each participant, as each gets a command. */
    private static final Duration PACE_EACH = Duration.ofNanos(200_000);

    private final VertexScaling scaling;
    private final Participants participants;
    private final Supplier<List<Step>> stepsLeft;
    private long lastNanos;

    /**
     * @param stepsLeft the steps that are not complete
     */
    WatermarkAlignment(
            VertexScaling scaling, Participants participants, Supplier<List<Step>> stepsLeft) {
        this.scaling = scaling;
        this.participants = participants;
        this.stepsLeft = stepsLeft;
    }

    /** All of them, now. */
    void align() {
        align(participants.nextWatermarkOfReceivers(stepsLeft.get()), subtask -> true);
    }

    /** Some of them, now. */
    void align(long watermarkOfReceivers, IntPredicate which) {
        lastNanos = scaling.nanoTime();
        Set<Integer> donors = new HashSet<>();
        stepsLeft.get().forEach(step -> donors.addAll(step.donors()));
        for (int subtask : participants.told()) {
            if (which.test(subtask)) {
                boolean asks = donors.contains(subtask);
                scaling.tell(
                        subtask,
                        new TaskCommand.AlignWatermark(scaling.id, watermarkOfReceivers, asks));
            }
        }
    }

    /**
     * One of them has got further. Not every such report aligns them: reports can come as fast as
     * they are asked for.
     *
     * @param state where they wait
     */
    void alignSoon(State<?> state) {
        Duration each = PACE_EACH.multipliedBy(participants.told().size());
        Duration pace = each.compareTo(PACE) < 0 ? PACE : each;
        Duration wait = pace.minusNanos(scaling.nanoTime() - lastNanos);
        if (wait.isNegative() || wait.isZero()) {
            alignIfRisen(state);
        } else {
            state.within(wait, () -> alignIfRisen(state));
        }
    }

    private void alignIfRisen(State<?> state) {
        long before = participants.watermarkOfReceivers();
        if (participants.nextWatermarkOfReceivers(stepsLeft.get()) > before) {
            align();
            state.onWatermarksAligned();
        }
    }
}
