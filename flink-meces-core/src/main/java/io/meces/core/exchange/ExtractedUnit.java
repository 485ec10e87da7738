// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/** A unit that has been taken out of the state, to be sent. */
public final class ExtractedUnit {

    public final int receiver;
    public final int unit;
    public final byte[] state;

    /** What the receiver needs to read the state: {@link io.meces.core.store.UnitState#schema}. */
    final byte[] schema;

    /** Whether a record waits for it. */
    public boolean onDemand;

    public ExtractedUnit(int receiver, int unit, byte[] state, byte[] schema, boolean onDemand) {
        this.receiver = receiver;
        this.unit = unit;
        this.state = state;
        this.schema = schema;
        this.onDemand = onDemand;
    }
}
