// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.core.command.StepMoves;
import io.meces.core.job.BatchSize;
import io.meces.core.job.MigrationFigures;
import io.meces.core.job.StepTimes;
import io.meces.core.plan.Move;
import io.meces.core.plan.MovesLeft;
import io.meces.core.plan.Step;
import io.meces.core.rescale.state.VertexScaling;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;

/**
 * The steps of the rescale of a vertex, each cut when the one before is complete: it is then known
 * how large they are and how long they take. Owned by the JobMaster's main thread.
 */
final class StepSchedule {

    private final VertexScaling scaling;
    private final MigrationFigures figures;
    private final StepTimes times;
    private final MovesLeft left;

    /** How many key-groups a subtask is going to give or take in the steps behind the next one. */
    private int size;

    /** Null: nothing is left to move, or the step before is not complete. */
    @Nullable private Step next;

    /** Null: none has begun. */
    @Nullable private Step last;

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
        this.left = new MovesLeft(scaling.plan.from(), scaling.plan.to());
        int keyGroups = scaling.plan.to().keyGroups();
        this.size = scaling.batchSize.foreseen(keyGroups, checkpointedBytes);
        this.next = cut(scaling.batchSize.first(keyGroups, checkpointedBytes));
    }

    @Nullable
    private Step cut(int batchSize) {
        return left.isEmpty() ? null : left.cut(batchSize);
    }

    /** How many steps there are, those included that are left, as they are foreseen. */
    int total() {
        return moved + stepsLeft();
    }

    /** The busiest subtask has a part in each, unless circles keep it from that. */
    private int stepsLeft() {
        return next == null
                ? BatchSize.steps(left.busiest(), size)
                : 1 + BatchSize.steps(left.busiest() - next.size(), size);
    }

    /** Those whose step has not moved its units. */
    MovesLeft left() {
        return left;
    }

    /** The step that comes next, once the one before is complete; null: there is none. */
    @Nullable
    Step next() {
        return next;
    }

    /** The number of the step that comes next. */
    int number() {
        return figures.steps();
    }

    /** Has the first step take no longer than wanted, as far as that can be told. */
    void limitFirst() {
        int first = times.next();
        if (next != null && next.size() > first) {
            size = first;
            next = cut(size);
        }
    }

    /** How long a step should take, in ns. */
    long wantedNanos() {
        return times.wanted();
    }

    long expectedNanos(Step step) {
        return times.expected(step.size());
    }

    StepMoves moves(Step step, long checkpointAfter) {
        List<Move> moves = step.moves();
        Collection<Integer> ending = left.endingWith(step);
        return new StepMoves(
                scaling.vertex.nextStep(),
                moves.stream().mapToInt(Move::keyGroup).toArray(),
                moves.stream().mapToInt(Move::from).toArray(),
                moves.stream().mapToInt(Move::to).toArray(),
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
        left.remove(step);
        last = step;
        next = null;
        moved++;
    }

    /**
     * The step whose units have moved is complete.
     *
     * @param limited whether steps are to take no longer than wanted
     */
    void onCompleted(boolean limited) {
        figures.onStepCompleted();
        scaling.vertex.assign(scaling.vertex.assignment().with(last.moves()));
        int inTime = limited ? times.next() : Integer.MAX_VALUE;
        size = scaling.batchSize.next(size, last.moves().size(), figures.bytesOfStep(), inTime);
        next = cut(size);
        if (next != null) {
            readNotTooMuch();
        }
    }

    private void readNotTooMuch() {
        int enough =
                BatchSize.withoutReadingTooMuch(
                        next.size(),
                        stepsLeft(),
                        left.busiest(),
                        last.size(),
                        figures.readAheadOfStep());
        if (enough > next.size()) {
            Step larger = left.cut(enough);
            if (isShort(larger)) {
                next = larger;
                size = enough;
            }
        }
    }

    /** Whether a step is going to end long before it would be given up. */
    private boolean isShort(Step step) {
        return times.expected(step.size()) < scaling.settings.stepTimeout().toNanos() / 4;
    }
}
