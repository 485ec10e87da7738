// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.ArrayDeque;

/**
 * A sink in the chain that collects results and writes them outside from time to time, and when it
 * is asked to; or one that writes each at once.
 */
final class BufferingSink {

    private final Ledger ledger;
    private final String name;
    private final boolean writesAtOnce;
    private final ArrayDeque<SimulatedElement> buffer = new ArrayDeque<>();

    BufferingSink(Ledger ledger, String name, boolean writesAtOnce) {
        this.ledger = ledger;
        this.name = name;
        this.writesAtOnce = writesAtOnce;
    }

    void add(SimulatedElement output) {
        buffer.add(output);
        if (writesAtOnce) {
            write(1);
        }
    }

    /** How many results are not outside yet. */
    int size() {
        return buffer.size();
    }

    /** Writes the oldest results. */
    void write(int results) {
        for (int i = 0; i < results; i++) {
            ledger.onWritten(name, buffer.remove());
        }
    }

    /** Writes all results. */
    void flush() {
        write(size());
    }
}
