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

import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.AbstractDataOutput;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatusMaintainer;

/** The two inputs of a two-input operator. Owned by the task thread. */
public final class TwoInputs<A, B> {

    private final First first;
    private final Second second;

    public TwoInputs(
            TwoInputStreamOperator<A, B, ?> operator,
            StreamStatusMaintainer statusMaintainer,
            WatermarkGauge watermarkGauge1,
            WatermarkGauge watermarkGauge2,
            Counter recordsIn) {
        this.first = new First(operator, statusMaintainer, watermarkGauge1, recordsIn);
        this.second = new Second(operator, statusMaintainer, watermarkGauge2, recordsIn);
        first.other = second;
        second.other = first;
    }

    public Input<A> first() {
        return first;
    }

    public Input<B> second() {
        return second;
    }

    /** One of the two. The task is idle when both are. */
    public abstract static class Input<T> extends AbstractDataOutput<T> {

        private final WatermarkGauge watermarkGauge;
        private final Counter recordsIn;
        private StreamStatus status = StreamStatus.ACTIVE;
        Input<?> other;

        private Input(
                StreamStatusMaintainer statusMaintainer,
                WatermarkGauge watermarkGauge,
                Counter recordsIn) {
            super(statusMaintainer);
            this.watermarkGauge = watermarkGauge;
            this.recordsIn = recordsIn;
        }

        void count() {
            recordsIn.inc();
        }

        void show(Watermark watermark) {
            watermarkGauge.setCurrentWatermark(watermark.getTimestamp());
        }

        @Override
        public void emitStreamStatus(StreamStatus newStatus) {
            status = newStatus;
            boolean idle = status.isIdle() && other.status.isIdle();
            StreamStatus joint = idle ? StreamStatus.IDLE : StreamStatus.ACTIVE;
            if (!joint.equals(streamStatusMaintainer.getStreamStatus())) {
                streamStatusMaintainer.toggleStreamStatus(joint);
            }
        }
    }

    private final class First extends Input<A> {

        private final TwoInputStreamOperator<A, B, ?> operator;

        private First(
                TwoInputStreamOperator<A, B, ?> operator,
                StreamStatusMaintainer statusMaintainer,
                WatermarkGauge watermarkGauge,
                Counter recordsIn) {
            super(statusMaintainer, watermarkGauge, recordsIn);
            this.operator = operator;
        }

        @Override
        public void emitRecord(StreamRecord<A> record) throws Exception {
            count();
            operator.setKeyContextElement1(record);
            operator.processElement1(record);
        }

        @Override
        public void emitWatermark(Watermark watermark) throws Exception {
            show(watermark);
            operator.processWatermark1(watermark);
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) throws Exception {
            operator.processLatencyMarker1(marker);
        }
    }

    private final class Second extends Input<B> {

        private final TwoInputStreamOperator<A, B, ?> operator;

        private Second(
                TwoInputStreamOperator<A, B, ?> operator,
                StreamStatusMaintainer statusMaintainer,
                WatermarkGauge watermarkGauge,
                Counter recordsIn) {
            super(statusMaintainer, watermarkGauge, recordsIn);
            this.operator = operator;
        }

        @Override
        public void emitRecord(StreamRecord<B> record) throws Exception {
            count();
            operator.setKeyContextElement2(record);
            operator.processElement2(record);
        }

        @Override
        public void emitWatermark(Watermark watermark) throws Exception {
            show(watermark);
            operator.processWatermark2(watermark);
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) throws Exception {
            operator.processLatencyMarker2(marker);
        }
    }
}
