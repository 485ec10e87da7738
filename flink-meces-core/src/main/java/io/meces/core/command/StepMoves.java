// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The moves of one step as arrays: {@code keyGroups[i]} goes from subtask {@code from[i]} to
 * subtask {@code to[i]}; or a handover of broadcast state. Immutable; the arrays must not be
 * changed.
 */
public final class StepMoves implements Serializable {
    private static final long serialVersionUID = 1L;

    private final long step;
    private final int[] keyGroups;
    private final int[] from;
    private final int[] to;
    private final int donor;
    private final BitSet takers;
    private final long checkpointAfter;
    private final int[] ending;

    /**
     * @param step the number of the step, ever growing within an elastic vertex: it tells markers
     *     and messages of one step from those of another
     * @param checkpointAfter from how many ns after the beginning of the step on a checkpoint is
     *     likely to wait for its end, or will be soon
     * @param ending the subtasks that take no part in later steps: the next checkpoint is likely to
     *     be that after all steps
     */
    public StepMoves(
            long step, int[] keyGroups, int[] from, int[] to, long checkpointAfter, int... ending) {
        this(step, keyGroups, from, to, -1, new BitSet(), checkpointAfter, ending);
    }

    /**
     * A step in which no key-group moves, but new subtasks get the broadcast state of an old one.
     */
    public static StepMoves handover(long step, int donor, BitSet takers) {
        int[] none = {};
        return new StepMoves(
                step, none, none, none, donor, (BitSet) takers.clone(), Long.MAX_VALUE, none);
    }

    private StepMoves(
            long step,
            int[] keyGroups,
            int[] from,
            int[] to,
            int donor,
            BitSet takers,
            long checkpointAfter,
            int[] ending) {
        if (keyGroups.length != from.length || keyGroups.length != to.length) {
            throw new IllegalArgumentException("arrays of different lengths");
        }
        this.step = step;
        this.keyGroups = keyGroups;
        this.from = from;
        this.to = to;
        this.donor = donor;
        this.takers = takers;
        this.checkpointAfter = checkpointAfter;
        this.ending = ending;
    }

    public long step() {
        return step;
    }

    public int size() {
        return keyGroups.length;
    }

    public int keyGroup(int i) {
        return keyGroups[i];
    }

    public int from(int i) {
        return from[i];
    }

    public int to(int i) {
        return to[i];
    }

    /** What is done with a key-group and the subtask on the other side of its move. */
    @FunctionalInterface
    public interface Action {
        void accept(int keyGroup, int peer);
    }

    /** Goes through the key-groups that leave a subtask. */
    public void forEachFrom(int subtask, Action action) {
        for (int i = 0; i < keyGroups.length; i++) {
            if (from[i] == subtask) {
                action.accept(keyGroups[i], to[i]);
            }
        }
    }

    /** Goes through the key-groups that come to a subtask. */
    public void forEachTo(int subtask, Action action) {
        for (int i = 0; i < keyGroups.length; i++) {
            if (to[i] == subtask) {
                action.accept(keyGroups[i], from[i]);
            }
        }
    }

    /** The subtask that hands over its broadcast state; -1 if none does. */
    public int donor() {
        return donor;
    }

    /** The subtasks that get the broadcast state of {@link #donor}. */
    public BitSet takers() {
        return (BitSet) takers.clone();
    }

    /**
     * From how many ns after the beginning of the step on a subtask is to have done what a
     * checkpoint would have to do that waits for the end of the step.
     */
    public long checkpointAfter(int subtask) {
        for (int one : ending) {
            if (one == subtask) {
                return 0;
            }
        }
        return checkpointAfter;
    }

    /** The subtasks that give or take something. */
    public BitSet participants() {
        BitSet all = takers();
        if (donor >= 0) {
            all.set(donor);
        }
        for (int i = 0; i < keyGroups.length; i++) {
            all.set(from[i]);
            all.set(to[i]);
        }
        return all;
    }

    @Override
    public String toString() {
        return "step "
                + step
                + ", key-groups "
                + Arrays.toString(keyGroups)
                + " from "
                + Arrays.toString(from)
                + " to "
                + Arrays.toString(to)
                + (donor < 0 ? "" : ", broadcast state from " + donor + " to " + takers);
    }
}
