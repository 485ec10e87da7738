// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.event;

import io.meces.core.exchange.Handover;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/** From a donor to its consumers: the last results of units that leave it come before. */
public final class HandedOver extends RuntimeEvent {

    private Handover handover;

    /** For deserialisation. */
    public HandedOver() {}

    public HandedOver(Handover handover) {
        this.handover = handover;
    }

    public Handover handover() {
        return handover;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeLong(handover.step());
        out.writeInt(handover.number());
    }

    @Override
    public void read(DataInputView in) throws IOException {
        handover = new Handover(in.readLong(), in.readInt());
    }

    @Override
    public String toString() {
        return "HandedOver(" + handover + ")";
    }
}
