// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/**
 * A place in the results of a donor: all that it emits for the units that it gives up to then comes
 * before. Places of a subtask index are ordered by step, then by number, even if another attempt
 * has come under the same index meanwhile: steps of a vertex have rising numbers. An immutable
 * value.
 */
public final class Handover implements Comparable<Handover> {

    private final long step;
    private final int number;

    /**
     * @param step the step in which the units leave
     * @param number counts the handovers of a subtask, from 1
     */
    public Handover(long step, int number) {
        this.step = step;
        this.number = number;
    }

    public long step() {
        return step;
    }

    public int number() {
        return number;
    }

    @Override
    public int compareTo(Handover other) {
        return step == other.step
                ? Integer.compare(number, other.number)
                : Long.compare(step, other.step);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Handover && compareTo((Handover) o) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(step) + number;
    }

    @Override
    public String toString() {
        return step + "/" + number;
    }
}
