// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** Takes the elements of an input. Task thread. */
public abstract class ElementOutput<T> extends LineOutput<T> {

    /** The input has become idle, or active again. */
    protected abstract void emitIdleness(boolean idle) throws Exception;

    /** An element that only some lines of Flink have; see {@link OtherElements}. */
    protected abstract void emitOther(StreamElement element) throws Exception;

    @Override
    public final void emitWatermarkStatus(WatermarkStatus status) throws Exception {
        emitIdleness(status.isIdle());
    }

    @Override
    public final void emitRecordAttributes(RecordAttributes attributes) throws Exception {
        emitOther(attributes);
    }
}
