// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The way from one assignment to another, in steps that are carried out one after the other. It can
 * be given up after any of them: what has moved has moved. Immutable, for any thread.
 */
public final class RescalePlan implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Assignment from;
    private final Assignment to;
    private final List<Step> steps;
    private final int size;

    /**
     * A plan of these steps.
     *
     * @throws IllegalArgumentException if the steps do not lead from the one assignment exactly to
     *     the other, or a key-group moves more than once
     */
    public RescalePlan(Assignment from, Assignment to, List<Step> steps) {
        this.from = from;
        this.to = to;
        this.steps = Collections.unmodifiableList(new ArrayList<>(steps));
        List<Move> moves = moves();
        this.size = moves.size();
        Assignment reached = from.with(moves);
        if (!reached.equals(to)) {
            throw new IllegalArgumentException(
                    "The steps lead from " + from + " to " + reached + " instead of " + to + ".");
        }
    }

    public Assignment from() {
        return from;
    }

    public Assignment to() {
        return to;
    }

    /** Empty if there is nothing to move. */
    public List<Step> steps() {
        return steps;
    }

    /** How many key-groups move. */
    public int size() {
        return size;
    }

    /** The moves of all steps, in order. */
    public List<Move> moves() {
        List<Move> moves = new ArrayList<>();
        for (Step step : steps) {
            moves.addAll(step.moves());
        }
        return moves;
    }

    /** Key-groups per subtask before the first step; the index is that of the subtask. */
    public List<Integer> countsBefore() {
        return from.counts();
    }

    /** Key-groups per subtask after the last step; the index is that of the subtask. */
    public List<Integer> countsAfter() {
        return to.counts();
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof RescalePlan)) {
            return false;
        }
        RescalePlan that = (RescalePlan) other;
        return from.equals(that.from) && to.equals(that.to) && steps.equals(that.steps);
    }

    @Override
    public int hashCode() {
        return (31 * from.hashCode() + to.hashCode()) * 31 + steps.hashCode();
    }

    @Override
    public String toString() {
        return from + " -> " + to + " in " + steps.size() + " steps: " + steps;
    }
}
