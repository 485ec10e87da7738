// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.command.ReadAheadUse;

/**
 * How many key-groups a subtask gives or takes in a step. How large they are on average, the last
 * checkpoint tells; without one the first step has one key-group. Each one after that has as many
 * as would have fitted into the bytes allowed, had they been as large as those of the step before,
 * and at most as many as there is time for ({@link StepTimes}); but so many that the steps which
 * are left do not read {@link #withoutReadingTooMuch too much} ahead. Immutable.
 */
public final class BatchSize {

    private static final int PROBE = 1;
    private static final int GENTLY = 2;

    private final int most;
    private final long bytes;

    /**
     * @param most never more key-groups than that, but by {@link #withoutReadingTooMuch}
     * @param bytes how much state they may have; {@link Long#MAX_VALUE}: that does not matter
     */
    public BatchSize(int most, long bytes) {
        this.most = most;
        this.bytes = bytes;
    }

    /**
     * How many go in the first step; if nothing is known of the state, so many that it measures.
     *
     * @param keyGroups how many all are
     * @param known how much state they had in the last checkpoint; -1: there is none
     */
    public int first(int keyGroups, long known) {
        return known < 0 && bytes < Long.MAX_VALUE ? PROBE : foreseen(keyGroups, known);
    }

    /**
     * How many are going to go in those behind it, as far as that can be told; as {@link #first}.
     */
    public int foreseen(int keyGroups, long known) {
        return known < 0 || bytes == Long.MAX_VALUE ? most : fitting(keyGroups, known);
    }

    /**
     * How many go in the next step.
     *
     * @param before how many it was going to be
     * @param lastMoves how many key-groups moved in the last step
     * @param lastBytes how much state they had
     * @param inTime how many a subtask has time to give or take; {@link Integer#MAX_VALUE}: time
     *     does not matter, nor has it so far
     */
    public int next(int before, int lastMoves, long lastBytes, int inTime) {
        if (bytes == Long.MAX_VALUE && inTime == Integer.MAX_VALUE) {
            return before;
        }
        int fitting = bytes == Long.MAX_VALUE ? most : fitting(lastMoves, lastBytes);
        return Math.min(fitting, inTime);
    }

    /**
     * How many go in the steps that are left, whatever limits them otherwise, if so many would read
     * too much ahead: under overload, each one reads what the network buffers hold. The next one is
     * at most twice as large as the last one.
     *
     * @param next how many were to go in the next one
     * @param stepsLeft how many steps that would make
     * @param busiest how many key-groups the busiest subtask still gives or takes
     * @param last how many it gave or took in the last step
     * @param read what that one has read ahead
     */
    public static int withoutReadingTooMuch(
            int next, int stepsLeft, int busiest, int last, ReadAheadUse read) {
        int affordable = read.affordableSteps();
        return stepsLeft <= affordable
                ? next
                : Math.max(next, Math.min(steps(busiest, affordable), GENTLY * last));
    }

    /** How many steps of a size so many key-groups need; or how large so many steps are. */
    public static int steps(int keyGroups, int size) {
        return (int) (((long) keyGroups + size - 1) / size);
    }

    /** How many key-groups may move if so many have so much state. */
    private int fitting(int keyGroups, long state) {
        double fitting = state == 0 ? most : (double) bytes * keyGroups / state;
        return (int) Math.max(1, Math.min(fitting, most));
    }
}
