// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.event;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/**
 * Divides the records of a channel: those before it were routed by the assignment before a step,
 * those after it by that of the step. (The control message of the Meces paper, section 3.2.)
 */
public final class StepMarker extends RuntimeEvent {

    private long step;

    /** For deserialisation. */
    public StepMarker() {}

    public StepMarker(long step) {
        this.step = step;
    }

    public long step() {
        return step;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeLong(step);
    }

    @Override
    public void read(DataInputView in) throws IOException {
        step = in.readLong();
    }

    @Override
    public String toString() {
        return "StepMarker(" + step + ")";
    }
}
