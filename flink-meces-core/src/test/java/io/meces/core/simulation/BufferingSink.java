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
