// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.event;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/** The first element of a channel whose producer has been activated while the job runs. */
public final class ChannelUp extends RuntimeEvent {

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
        return "ChannelUp";
    }
}
