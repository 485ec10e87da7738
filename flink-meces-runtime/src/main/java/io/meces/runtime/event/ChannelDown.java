// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.event;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/** The last element of a channel whose producer is about to be deactivated. */
public final class ChannelDown extends RuntimeEvent {

    @Override
    public void write(DataOutputView out) {
        // it has no content
    }

    @Override
    public void read(DataInputView in) {
        // it has no content
    }

    @Override
    public String toString() {
        return "ChannelDown";
    }
}
