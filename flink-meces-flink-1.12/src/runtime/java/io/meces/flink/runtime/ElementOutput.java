// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;

/** Takes the elements of an input. Task thread. */
public abstract class ElementOutput<T> implements DataOutput<T> {

    /** The input has become idle, or active again. */
    protected abstract void emitIdleness(boolean idle) throws Exception;

    /** An element that only other lines of Flink have; see {@link OtherElements}. */
    protected abstract void emitOther(StreamElement element) throws Exception;

    @Override
    public final void emitStreamStatus(StreamStatus status) throws Exception {
        emitIdleness(status.isIdle());
    }
}
