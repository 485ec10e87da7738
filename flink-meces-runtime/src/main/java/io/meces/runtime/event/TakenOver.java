// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.event;

import io.meces.core.exchange.Handover;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/**
 * From a receiver to its consumers: the results of units that it has got come behind, and are to be
 * read when those of the donor have been read up to a {@link HandedOver}.
 */
public final class TakenOver extends RuntimeEvent {

    private int donor;
    private Handover handover;

    /** For deserialisation. */
    public TakenOver() {}

    /**
     * @param donor the subtask index of the donor
     */
    public TakenOver(int donor, Handover handover) {
        this.donor = donor;
        this.handover = handover;
    }

    /** The subtask index of the donor, and so the index of its channel at each consumer. */
    public int donor() {
        return donor;
    }

    public Handover handover() {
        return handover;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeInt(donor);
        out.writeLong(handover.step());
        out.writeInt(handover.number());
    }

    @Override
    public void read(DataInputView in) throws IOException {
        donor = in.readInt();
        handover = new Handover(in.readLong(), in.readInt());
    }

    @Override
    public String toString() {
        return "TakenOver(" + handover + " of " + donor + ")";
    }
}
