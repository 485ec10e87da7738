// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

/** In which order units leave a donor. */
public enum MigrationOrder {
    /** What a record waits for comes first, then what was used most recently. */
    DEMAND,

    /**
     * All in the order of their numbers, whatever is needed: key-group after key-group, once the
     * donor has processed all that came before the marker. Nothing is asked for.
     */
    SEQUENTIAL;

    /** Of two units, the one with the higher rank is pushed first. Not negative. */
    int rank(int unit, int lastUsed) {
        return this == DEMAND ? lastUsed : Integer.MAX_VALUE - unit;
    }
}
