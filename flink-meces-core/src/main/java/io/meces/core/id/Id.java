// SPDX-License-Identifier: Apache-2.0
package io.meces.core.id;

import java.io.Serializable;

/**
 * An identifier of 128 bits, as Flink has it: the same bits and the same hexadecimal form. Of each
 * kind there is a class, so that none is taken for another. Immutable.
 */
public abstract class Id implements Serializable {
    private static final long serialVersionUID = 1L;

    private final long lower;
    private final long upper;

    Id(long lower, long upper) {
        this.lower = lower;
        this.upper = upper;
    }

    /** The lower 64 bits, which the hexadecimal form begins with. */
    public final long lower() {
        return lower;
    }

    public final long upper() {
        return upper;
    }

    @Override
    public final boolean equals(Object o) {
        return o != null
                && o.getClass() == getClass()
                && ((Id) o).lower == lower
                && ((Id) o).upper == upper;
    }

    @Override
    public final int hashCode() {
        return Long.hashCode(lower ^ upper);
    }

    /** 32 hexadecimal digits. */
    @Override
    public final String toString() {
        return String.format("%016x%016x", lower, upper);
    }
}
