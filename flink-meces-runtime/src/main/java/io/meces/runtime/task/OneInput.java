// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.ElementOutput;
import io.meces.flink.runtime.InputIdleness;
import io.meces.flink.runtime.OtherElements;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/** The input of a one-input operator. Owned by the task thread. */
public final class OneInput<T> extends ElementOutput<T> {

    private final OneInputStreamOperator<T, ?> operator;
    private final InputIdleness.Of idleness;
    private final WatermarkGauge watermarkGauge;
    private final Counter recordsIn;

    public OneInput(
            OneInputStreamOperator<T, ?> operator,
            OperatorChain<?, ?> chain,
            WatermarkGauge watermarkGauge,
            Counter recordsIn) {
        this.idleness = new InputIdleness(chain).add(operator);
        this.operator = operator;
        this.watermarkGauge = watermarkGauge;
        this.recordsIn = recordsIn;
    }

    @Override
    public void emitRecord(StreamRecord<T> record) throws Exception {
        recordsIn.inc();
        operator.setKeyContextElement1(record);
        operator.processElement(record);
    }

    @Override
    public void emitWatermark(Watermark watermark) throws Exception {
        watermarkGauge.setCurrentWatermark(watermark.getTimestamp());
        operator.processWatermark(watermark);
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) throws Exception {
        operator.processLatencyMarker(marker);
    }

    @Override
    protected void emitIdleness(boolean idle) throws Exception {
        idleness.set(idle);
    }

    @Override
    protected void emitOther(StreamElement element) throws Exception {
        OtherElements.process(operator, element);
    }
}
