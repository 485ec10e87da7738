// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.DataOutput;
import java.io.IOException;

/**
 * Measures latency. It goes the way of the records, by a key of its own, through all keyed
 * operators, but not into their windows and state, and comes out at once.
 */
public final class Marker extends Event {

    /** From 0. */
    public final long number;

    public Marker(long number, long timeMicros) {
        super(timeMicros);
        this.number = number;
    }

    /** Where it goes: as good as random, so that markers come to all key-groups. */
    long key() {
        long z = (number + 1) * 0x9E3779B97F4A7C15L;
        return z ^ z >>> 32;
    }

    @Override
    Kind kind() {
        return Kind.MARKER;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(number);
    }

    @Override
    public String toString() {
        return "marker " + number + " at " + time();
    }
}
