// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;

/**
 * What the tasks of a process have read ahead when a step is over there, as a share of the memory
 * that they have for it ({@link io.meces.core.waiting.ReadAheadMemory}). Immutable.
 */
public final class ReadAheadUse implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Nothing has been read ahead. */
    public static final ReadAheadUse NONE = new ReadAheadUse(0, 0);

    /**
     * So much of the memory should be used at most: the next checkpoint stands behind all that has
     * been read ahead, and a step for which there is no memory takes as long as its queue.
     */
    private static final double WANTED = 0.25;

    /** So much a rescale may add, whatever is used. */
    private static final double ALWAYS = 0.05;

    /** What does not matter, even if each of some hundred steps adds as much. */
    private static final double LITTLE = 0.001;

    /** By all tasks of the process. 0: nothing, 1: all; may be more. */
    public final double used;

    /** By how much that of the task has grown; negative if more was worked off than read. */
    public final double grown;

    public ReadAheadUse(double used, double grown) {
        this.used = used;
        this.grown = grown;
    }

    /** The most that either has. */
    public ReadAheadUse max(ReadAheadUse other) {
        return new ReadAheadUse(Math.max(used, other.used), Math.max(grown, other.grown));
    }

    /** As after another one. */
    public ReadAheadUse since(ReadAheadUse before) {
        // what is worked off between steps does not add up
        return new ReadAheadUse(used, Math.min(grown, used - before.used));
    }

    /** How many more such steps there should be at most, at least one. */
    public int affordableSteps() {
        if (grown < LITTLE) {
            return Integer.MAX_VALUE;
        }
        return (int) Math.max(1, Math.max(WANTED - used, ALWAYS) / grown);
    }
}
