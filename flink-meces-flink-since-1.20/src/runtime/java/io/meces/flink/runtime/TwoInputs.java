// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** The inputs of a two-input operator. Task thread. */
public final class TwoInputs {

    private TwoInputs() {}

    /** The first one. */
    public static <T> Input<T> firstOf(TwoInputStreamOperator<T, ?, ?> operator) {
        return new Input<T>() {
            @Override
            public void setKeyContextElement(StreamRecord<T> record) throws Exception {
                operator.setKeyContextElement1(record);
            }

            @Override
            public void processElement(StreamRecord<T> record) throws Exception {
                operator.processElement1(record);
            }

            @Override
            public void processWatermark(Watermark watermark) throws Exception {
                operator.processWatermark1(watermark);
            }

            @Override
            public void processLatencyMarker(LatencyMarker marker) throws Exception {
                operator.processLatencyMarker1(marker);
            }

            @Override
            public void processWatermarkStatus(WatermarkStatus status) throws Exception {
                operator.processWatermarkStatus1(status);
            }

            @Override
            public void processRecordAttributes(RecordAttributes attributes) throws Exception {
                operator.processRecordAttributes1(attributes);
            }
        };
    }

    /** The second one. */
    public static <T> Input<T> secondOf(TwoInputStreamOperator<?, T, ?> operator) {
        return new Input<T>() {
            @Override
            public void setKeyContextElement(StreamRecord<T> record) throws Exception {
                operator.setKeyContextElement2(record);
            }

            @Override
            public void processElement(StreamRecord<T> record) throws Exception {
                operator.processElement2(record);
            }

            @Override
            public void processWatermark(Watermark watermark) throws Exception {
                operator.processWatermark2(watermark);
            }

            @Override
            public void processLatencyMarker(LatencyMarker marker) throws Exception {
                operator.processLatencyMarker2(marker);
            }

            @Override
            public void processWatermarkStatus(WatermarkStatus status) throws Exception {
                operator.processWatermarkStatus2(status);
            }

            @Override
            public void processRecordAttributes(RecordAttributes attributes) throws Exception {
                operator.processRecordAttributes2(attributes);
            }
        };
    }
}
