/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.AbstractDataOutput;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatusMaintainer;

/**
 * The inputs of an operator that has two or more. The task is idle when all are. Owned by the task
 * thread.
 */
public final class SeveralInputs {

    private final StreamStatusMaintainer statusMaintainer;
    private final Counter recordsIn;
    private final List<One<?>> inputs = new ArrayList<>();

    public SeveralInputs(StreamStatusMaintainer statusMaintainer, Counter recordsIn) {
        this.statusMaintainer = statusMaintainer;
        this.recordsIn = recordsIn;
    }

    /** Adds an input of the operator; returns what is to be given its elements. */
    public <T> DataOutput<T> add(Input<T> input, WatermarkGauge watermarkGauge) {
        One<T> one = new One<>(input, watermarkGauge);
        inputs.add(one);
        return one;
    }

    private boolean areAllIdle() {
        for (One<?> input : inputs) {
            if (input.status.isActive()) {
                return false;
            }
        }
        return true;
    }

    private final class One<T> extends AbstractDataOutput<T> {

        private final Input<T> input;
        private final WatermarkGauge watermarkGauge;
        private StreamStatus status = StreamStatus.ACTIVE;

        private One(Input<T> input, WatermarkGauge watermarkGauge) {
            super(statusMaintainer);
            this.input = input;
            this.watermarkGauge = watermarkGauge;
        }

        @Override
        public void emitRecord(StreamRecord<T> record) throws Exception {
            recordsIn.inc();
            input.setKeyContextElement(record);
            input.processElement(record);
        }

        @Override
        public void emitWatermark(Watermark watermark) throws Exception {
            watermarkGauge.setCurrentWatermark(watermark.getTimestamp());
            input.processWatermark(watermark);
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) throws Exception {
            input.processLatencyMarker(marker);
        }

        @Override
        public void emitStreamStatus(StreamStatus newStatus) {
            status = newStatus;
            StreamStatus joint = areAllIdle() ? StreamStatus.IDLE : StreamStatus.ACTIVE;
            if (!joint.equals(streamStatusMaintainer.getStreamStatus())) {
                streamStatusMaintainer.toggleStreamStatus(joint);
            }
        }
    }

    /** The first input of a two-input operator. */
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
        };
    }

    /** The second input of a two-input operator. */
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
        };
    }
}
