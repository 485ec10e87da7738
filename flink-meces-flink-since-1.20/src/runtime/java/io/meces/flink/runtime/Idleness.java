// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.lang.reflect.Field;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Whether anybody is to wait for the watermark of a task. Task thread.
 *
 * <p>Each output knows what it has said last, and tells nobody; the field is opened once, when this
 * class is initialized, and a Flink without it fails there.
 */
public final class Idleness {

    private static final Field ANNOUNCED = announced();

    private Idleness() {}

    /** Nobody is to wait for a task any more. */
    public static void end(OperatorChain<?, ?> chain) {
        for (RecordWriterOutput<?> output : chain.getStreamOutputs()) {
            output.emitWatermarkStatus(WatermarkStatus.IDLE);
        }
    }

    public static void emit(DataOutput<?> output, boolean idle) throws Exception {
        output.emitWatermarkStatus(status(idle));
    }

    /**
     * Has all consumers of an output know its watermark, and whether it is idle. For those who know
     * it is a repetition.
     */
    public static void repeat(OperatorChain<?, ?> chain, int outputIndex) {
        RecordWriterOutput<?> output = chain.getStreamOutputs()[outputIndex];
        long watermark = output.getWatermarkGauge().getValue();
        boolean idle = isIdle(output);
        if (idle) {
            // it says nothing twice, and sends no watermark while it is idle
            output.emitWatermarkStatus(WatermarkStatus.ACTIVE);
        }
        if (watermark > Long.MIN_VALUE) {
            output.emitWatermark(new Watermark(watermark));
        }
        if (idle) {
            output.emitWatermarkStatus(WatermarkStatus.IDLE);
        }
    }

    private static boolean isIdle(RecordWriterOutput<?> output) {
        try {
            return ((WatermarkStatus) ANNOUNCED.get(output)).isIdle();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field announced() {
        try {
            Field field = RecordWriterOutput.class.getDeclaredField("announcedStatus");
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(
                    "This Flink has no RecordWriterOutput.announcedStatus", e);
        }
    }

    static WatermarkStatus status(boolean idle) {
        return idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE;
    }
}
