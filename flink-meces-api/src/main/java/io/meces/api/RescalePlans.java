// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/** What a rescale would do: the answer to a dry run. Immutable. */
public final class RescalePlans implements Serializable {
    private static final long serialVersionUID = 1L;

    private List<VertexPlan> vertices = new ArrayList<>();
    private int moreSlots;
    @Nullable private Integer freeSlots;

    private RescalePlans() {}

    public RescalePlans(List<VertexPlan> vertices, int moreSlots, @Nullable Integer freeSlots) {
        this.vertices = new ArrayList<>(vertices);
        this.moreSlots = moreSlots;
        this.freeSlots = freeSlots;
    }

    /**
     * How many more slots the job would need than it does now; fewer: a negative number. In a slot
     * sharing group, subtasks of the same index share a slot.
     */
    public int moreSlots() {
        return moreSlots;
    }

    /** How many slots the job could have besides those that it uses; null: not known. */
    @Nullable
    public Integer freeSlots() {
        return freeSlots;
    }

    /** One for each vertex that was asked for, in the order in which they would be rescaled. */
    public List<VertexPlan> vertices() {
        return Collections.unmodifiableList(vertices);
    }

    /** The plan of one vertex. Immutable. */
    public static final class VertexPlan extends VertexChange {
        private static final long serialVersionUID = 1L;

        private String strategy;
        private List<List<Move>> steps = new ArrayList<>();
        private List<Integer> before = new ArrayList<>();
        private List<Integer> after = new ArrayList<>();
        @Nullable private List<Double> loadBefore;
        @Nullable private List<Double> loadAfter;

        private VertexPlan() {}

        /**
         * One of a vertex whose load is not known.
         *
         * @param before key-groups per subtask before the rescale
         * @param after key-groups per subtask after it
         */
        public VertexPlan(
                VertexChange change,
                String strategy,
                List<List<Move>> steps,
                List<Integer> before,
                List<Integer> after) {
            super(change);
            this.strategy = strategy;
            this.steps = new ArrayList<>(steps);
            this.before = new ArrayList<>(before);
            this.after = new ArrayList<>(after);
        }

        /** The same, with the load of the subtasks. */
        public VertexPlan withLoad(List<Double> loadPerSubtask, List<Double> expectedPerSubtask) {
            VertexPlan plan = new VertexPlan(this, strategy, steps, before, after);
            plan.loadBefore = new ArrayList<>(loadPerSubtask);
            plan.loadAfter = new ArrayList<>(expectedPerSubtask);
            return plan;
        }

        /** The name of the strategy. */
        public String strategy() {
            return strategy;
        }

        /** The moves of each step. Empty if there is nothing to move. */
        public List<List<Move>> steps() {
            return Collections.unmodifiableList(steps);
        }

        /** Key-groups per subtask before the rescale; the index is that of the subtask. */
        public List<Integer> before() {
            return Collections.unmodifiableList(before);
        }

        /** Key-groups per subtask after the rescale; the index is that of the subtask. */
        public List<Integer> after() {
            return Collections.unmodifiableList(after);
        }

        /** Records and timers per second of each subtask before the rescale; null: unknown. */
        @Nullable
        public List<Double> loadBefore() {
            return loadBefore == null ? null : Collections.unmodifiableList(loadBefore);
        }

        /** Likewise after the rescale, if the load stays as it is. */
        @Nullable
        public List<Double> loadAfter() {
            return loadAfter == null ? null : Collections.unmodifiableList(loadAfter);
        }
    }

    /** A key-group goes from one subtask to another. Immutable. */
    public static final class Move implements Serializable {
        private static final long serialVersionUID = 1L;

        private int keyGroup;
        private int from;
        private int to;

        private Move() {}

        public Move(int keyGroup, int from, int to) {
            this.keyGroup = keyGroup;
            this.from = from;
            this.to = to;
        }

        public int keyGroup() {
            return keyGroup;
        }

        public int from() {
            return from;
        }

        public int to() {
            return to;
        }
    }
}
