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

import io.meces.core.migration.StepMoves;
import io.meces.core.plan.Move;
import io.meces.core.plan.RescalePlan;
import io.meces.core.plan.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The steps of the rescale of a vertex. Those that are left are cut anew after each one, as it
 * becomes known how large they are and how long they take. Owned by the JobMaster's main thread.
 */
final class StepSchedule {

    private final VertexScaling scaling;
    private final MigrationFigures figures;
    private final StepTimes times;
    private RescalePlan plan;

    /** Steps whose units have moved; of the last one data may still be on its way. */
    private int moved;

    /**
     * @param checkpointedBytes how much state the vertex had in the last checkpoint; -1: there is
     *     none
     * @param figures count the steps that are complete
     */
    StepSchedule(VertexScaling scaling, long checkpointedBytes, MigrationFigures figures) {
        this.scaling = scaling;
        this.figures = figures;
        this.times = new StepTimes(scaling.settings.stepDuration().toNanos());
        this.plan = scaling.batchSize.begin(scaling.plan, checkpointedBytes);
    }

    /** The steps so far, and those that are left as they are foreseen. */
    RescalePlan plan() {
        return plan;
    }

    /** The steps whose units have not moved. */
    List<Step> left() {
        return plan.steps().subList(moved, plan.steps().size());
    }

    /** The number of the step that comes next. */
    int next() {
        return figures.steps();
    }

    /** Has the first step take no longer than wanted, as far as that can be told. */
    void limitFirst() {
        plan = scaling.batchSize.beginWith(plan, times.next());
    }

    /** How long a step should take, in ns. */
    long wantedNanos() {
        return times.wanted();
    }

    long expectedNanos(Step step) {
        return times.expected(step.size());
    }

    StepMoves moves(Step step, long checkpointAfter, Collection<Integer> ending) {
        List<Move> list = new ArrayList<>(step.moves());
        return new StepMoves(
                scaling.vertex.nextStep(),
                list.stream().mapToInt(Move::keyGroup).toArray(),
                list.stream().mapToInt(Move::from).toArray(),
                list.stream().mapToInt(Move::to).toArray(),
                checkpointAfter,
                ending.stream().mapToInt(Integer::intValue).toArray());
    }

    /**
     * The units of the next step have moved.
     *
     * @param nanos how long that took, in which event time had to wait
     */
    void onMoved(Step step, long nanos) {
        times.add(step.size(), nanos);
        moved++;
    }

    /**
     * The next step is complete.
     *
     * @param limited whether steps are to take no longer than wanted
     */
    void onCompleted(boolean limited) {
        figures.onStepCompleted();
        scaling.vertex.assign(plan.after(figures.steps()));
        int inTime = limited ? times.next() : Integer.MAX_VALUE;
        plan = scaling.batchSize.goOn(plan, figures.steps(), figures.bytesOfStep(), inTime);
        RescalePlan larger =
                BatchSize.withoutReadingTooMuch(plan, figures.steps(), figures.readAheadOfStep());
        if (larger != plan && isShort(larger.steps().get(moved))) {
            plan = larger;
        }
    }

    /** Whether a step is going to end long before it would be given up. */
    private boolean isShort(Step step) {
        return times.expected(step.size()) < scaling.settings.stepTimeout().toNanos() / 4;
    }
}
