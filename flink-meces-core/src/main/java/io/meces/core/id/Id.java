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
