// SPDX-License-Identifier: Apache-2.0
package io.meces.core.migration;

/** A unit that has been taken out of the state, to be sent. */
final class ExtractedUnit {

    final int receiver;
    final int unit;
    final byte[] state;

    /** What the receiver needs to read the state: {@link UnitState#schema}. */
    final byte[] schema;

    /** Whether a record waits for it. */
    boolean onDemand;

    ExtractedUnit(int receiver, int unit, byte[] state, byte[] schema, boolean onDemand) {
        this.receiver = receiver;
        this.unit = unit;
        this.state = state;
        this.schema = schema;
        this.onDemand = onDemand;
    }
}
