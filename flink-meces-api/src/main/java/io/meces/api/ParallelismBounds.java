// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;

/** Between which parallelisms a vertex may run (FLIP-291). Immutable. */
public final class ParallelismBounds implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int lower;
    private final int upper;

    /** Not checked: {@link ResourceRequirements#validate} does. */
    public ParallelismBounds(int lower, int upper) {
        this.lower = lower;
        this.upper = upper;
    }

    /** The least that it can do with. */
    public int lower() {
        return lower;
    }

    /** What it is to have as soon as there are slots. */
    public int upper() {
        return upper;
    }

    public boolean contains(int parallelism) {
        return lower <= parallelism && parallelism <= upper;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ParallelismBounds
                && lower == ((ParallelismBounds) other).lower
                && upper == ((ParallelismBounds) other).upper;
    }

    @Override
    public int hashCode() {
        return 31 * lower + upper;
    }

    @Override
    public String toString() {
        return lower + ".." + upper;
    }
}
