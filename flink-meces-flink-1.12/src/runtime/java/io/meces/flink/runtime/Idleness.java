// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/** Whether anybody is to wait for the watermark of a task. Task thread. */
public final class Idleness {

    private Idleness() {}

    /** Nobody is to wait for a task any more. */
    public static void end(OperatorChain<?, ?> chain) {
        chain.toggleStreamStatus(StreamStatus.IDLE);
    }

    public static void emit(DataOutput<?> output, boolean idle) throws Exception {
        output.emitStreamStatus(status(idle));
    }

    /**
     * Has all consumers of an output know its watermark, and whether it is idle. For those who know
     * it is a repetition.
     */
    public static void repeat(OperatorChain<?, ?> chain, int outputIndex) {
        RecordWriterOutput<?> output = chain.getStreamOutputs()[outputIndex];
        long watermark = output.getWatermarkGauge().getValue();
        boolean idle = chain.getStreamStatus().isIdle();
        if (watermark > Long.MIN_VALUE) {
            if (idle) {
                // Flink sends no watermark of who is idle
                chain.toggleStreamStatus(StreamStatus.ACTIVE);
            }
            output.emitWatermark(new Watermark(watermark));
            if (idle) {
                chain.toggleStreamStatus(StreamStatus.IDLE);
            }
        } else if (idle) {
            output.emitStreamStatus(StreamStatus.IDLE);
        }
    }

    static StreamStatus status(boolean idle) {
        return idle ? StreamStatus.IDLE : StreamStatus.ACTIVE;
    }
}
