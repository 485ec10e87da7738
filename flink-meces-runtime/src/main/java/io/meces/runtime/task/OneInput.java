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
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.AbstractDataOutput;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatusMaintainer;

/** The input of a one-input operator. Owned by the task thread. */
public final class OneInput<T> extends AbstractDataOutput<T> {

    private final OneInputStreamOperator<T, ?> operator;
    private final WatermarkGauge watermarkGauge;
    private final Counter recordsIn;

    public OneInput(
            OneInputStreamOperator<T, ?> operator,
            StreamStatusMaintainer statusMaintainer,
            WatermarkGauge watermarkGauge,
            Counter recordsIn) {
        super(statusMaintainer);
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
}
