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

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.migration.ReadAheadUse;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.Planner;
import io.meces.core.plan.RescalePlan;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** How many key-groups go in a step. 60 of 120 go from subtask 0 to subtask 1. */
class BatchSizeTest {

    private static final long KEY_GROUP = 1_000;
    private static final int MOST = 16;

    private static final RescalePlan PLAN =
            Planner.plan(Assignment.contiguous(120, 1), Assignment.contiguous(120, 2), MOST);

    private static List<Integer> sizes(RescalePlan plan) {
        return plan.steps().stream().map(step -> step.moves().size()).collect(Collectors.toList());
    }

    /** The plan when its first step has moved key-groups of a size. */
    private static List<Integer> afterFirst(BatchSize batch, long bytesOfKeyGroup) {
        return sizes(batch.goOn(batch.begin(PLAN, -1), 1, bytesOfKeyGroup, MOST));
    }

    @Test
    void theFirstStepMeasuresTheOthersAreAsLargeAsTheyMay() {
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        assertThat(sizes(batch.begin(PLAN, -1))).containsExactly(1, 16, 16, 16, 11);
    }

    @Test
    void theLastCheckpointTellsWhatFitsIntoTheFirstStep() {
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        assertThat(sizes(batch.begin(PLAN, 120 * KEY_GROUP))).hasSize(15).containsOnly(4);
        assertThat(sizes(batch.begin(PLAN, 120 * KEY_GROUP / 2))).startsWith(8, 8).endsWith(4);
        assertThat(sizes(batch.begin(PLAN, 1))).containsExactly(16, 16, 16, 12);
        assertThat(sizes(batch.begin(PLAN, 0))).containsExactly(16, 16, 16, 12);
        assertThat(sizes(batch.begin(PLAN, Long.MAX_VALUE))).hasSize(60).containsOnly(1);
        assertThat(batch.goOn(batch.begin(PLAN, 120 * KEY_GROUP), 1, 8 * KEY_GROUP, MOST))
                .isEqualTo(Planner.recut(batch.begin(PLAN, 120 * KEY_GROUP), 1, 2));
    }

    @Test
    void asManyFollowAsFitIntoTheBytes() {
        BatchSize batch = new BatchSize(MOST, 20 * KEY_GROUP);
        assertThat(afterFirst(batch, 2 * KEY_GROUP)).containsExactly(1, 10, 10, 10, 10, 10, 9);
        assertThat(afterFirst(batch, 2 * KEY_GROUP + 1)).startsWith(1, 9, 9).endsWith(9, 5);
    }

    @Test
    void eachStepMeasuresAnew() {
        BatchSize batch = new BatchSize(MOST, 10 * KEY_GROUP);
        RescalePlan plan = batch.goOn(batch.begin(PLAN, -1), 1, KEY_GROUP, MOST);
        assertThat(sizes(plan)).startsWith(1, 10, 10);
        plan = batch.goOn(plan, 2, 10 * 5 * KEY_GROUP, MOST);
        assertThat(sizes(plan)).startsWith(1, 10, 2, 2);
        plan = batch.goOn(plan, 3, 2 * KEY_GROUP / 2, MOST);
        assertThat(sizes(plan)).startsWith(1, 10, 2, 16, 16);
    }

    @Test
    void neverMoreKeyGroupsThanAllowedAndNeverNone() {
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        assertThat(afterFirst(batch, 1)).containsExactly(1, 16, 16, 16, 11);
        assertThat(afterFirst(batch, 0)).containsExactly(1, 16, 16, 16, 11);
        assertThat(afterFirst(batch, Long.MAX_VALUE)).hasSize(60).containsOnly(1);
    }

    @Test
    void withoutALimitThePlanStaysAsItIs() {
        BatchSize batch = new BatchSize(MOST, Long.MAX_VALUE);
        assertThat(batch.begin(PLAN, -1)).isSameAs(PLAN);
        assertThat(batch.goOn(PLAN, 1, 1L << 60, Integer.MAX_VALUE)).isSameAs(PLAN);
    }

    @Test
    void whatThereIsNoTimeForWaits() {
        BatchSize bytes = new BatchSize(MOST, 8 * KEY_GROUP);
        RescalePlan plan = bytes.beginWith(bytes.begin(PLAN, 120 * KEY_GROUP), 4);
        assertThat(sizes(plan)).startsWith(4, 4);
        assertThat(sizes(bytes.goOn(plan, 1, 4 * KEY_GROUP, 3))).startsWith(4, 3, 3);
        assertThat(sizes(bytes.goOn(plan, 1, 4 * KEY_GROUP, 100))).startsWith(4, 8, 8);
        BatchSize unlimited = new BatchSize(MOST, Long.MAX_VALUE);
        assertThat(sizes(unlimited.goOn(PLAN, 1, 1, 3))).startsWith(16, 3, 3);
        assertThat(sizes(unlimited.goOn(unlimited.goOn(PLAN, 1, 1, 3), 2, 1, 20)))
                .startsWith(16, 3, 16);
        assertThat(unlimited.beginWith(PLAN, MOST)).isSameAs(PLAN);
    }

    @Test
    void nothingToMoveNeedsNoStep() {
        Assignment same = Assignment.contiguous(120, 2);
        assertThat(new BatchSize(MOST, 1).begin(Planner.plan(same, same, MOST), -1).steps())
                .isEmpty();
    }

    @Test
    void severalSubtasksAreMeasuredTogether() {
        RescalePlan plan =
                Planner.plan(Assignment.contiguous(120, 3), Assignment.contiguous(120, 4), MOST);
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        RescalePlan begun = batch.begin(plan, -1);
        int first = begun.steps().get(0).moves().size();
        RescalePlan cut = batch.goOn(begun, 1, first * KEY_GROUP, MOST);
        assertThat(cut).isEqualTo(Planner.recut(begun, 1, 4));
    }

    @Test
    void stepsAreLargerWhereSoManyWouldReadTooMuchAhead() {
        // of 44 key-groups that are left after a step of 16, whatever limits a step otherwise
        assertThat(sizes(withoutReadingTooMuch(0.05, 0.03))).startsWith(16, 8, 8, 8);
        assertThat(sizes(withoutReadingTooMuch(0.05, 0.1))).containsExactly(16, 22, 22);
        assertThat(sizes(withoutReadingTooMuch(0.9, 0.01))).startsWith(16, 9, 9);
    }

    @Test
    void theyAreAtMostTwiceAsLargeAsTheLastOne() {
        assertThat(sizes(withoutReadingTooMuch(0.2, 0.2))).containsExactly(16, 32, 12);
        assertThat(sizes(withoutReadingTooMuch(3, 2))).containsExactly(16, 32, 12);
    }

    @Test
    void stepsStayAsTheyAreWhereThatIsLittle() {
        assertThat(sizes(withoutReadingTooMuch(0, 0))).startsWith(16, 2, 2);
        assertThat(sizes(withoutReadingTooMuch(0.03, 0.01))).startsWith(16, 2, 2);
        // by others, or by rescales before
        assertThat(sizes(withoutReadingTooMuch(0.9, 0.002))).startsWith(16, 2, 2);
        assertThat(sizes(withoutReadingTooMuch(0.9, -0.1))).startsWith(16, 2, 2);
    }

    private static RescalePlan withoutReadingTooMuch(double used, double grown) {
        RescalePlan cut = Planner.recut(PLAN, 1, 2);
        return BatchSize.withoutReadingTooMuch(cut, 1, new ReadAheadUse(used, grown));
    }
}
