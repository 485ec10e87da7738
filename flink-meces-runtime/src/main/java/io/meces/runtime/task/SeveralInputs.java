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

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.AbstractDataOutput;
import org.apache.flink.streaming.runtime.io.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.InputProcessorUtil;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;

/**
 * The inputs of an operator that has two or more. The task is idle when all are. Owned by the task
 * thread.
 */
final class SeveralInputs {

    private final StreamTask<?, ?> task;
    private final TaskAgent agent;
    private final OperatorChain<?, ?> chain;
    private final Counter recordsIn;
    private final CheckpointedInputGate[] gates;
    private final List<One<?>> inputs = new ArrayList<>();

    /**
     * @param recordsIn counts the records of all inputs
     * @param inputGates those of each input
     */
    @SafeVarargs
    SeveralInputs(
            StreamTask<?, ?> task,
            TaskAgent agent,
            OperatorChain<?, ?> chain,
            Counter recordsIn,
            List<IndexedInputGate>... inputGates) {
        this.task = task;
        this.agent = agent;
        this.chain = chain;
        this.recordsIn = recordsIn;
        TaskIOMetricGroup metrics = task.getEnvironment().getMetricGroup().getIOMetricGroup();
        metrics.reuseRecordsInputCounter(recordsIn);
        this.gates =
                InputProcessorUtil.createCheckpointedMultipleInputGate(
                        task,
                        task.getConfiguration(),
                        StreamTaskAccess.checkpointCoordinator(task),
                        metrics,
                        StreamTaskAccess.nameWithSubtaskAndId(task),
                        StreamTaskAccess.mailbox(task),
                        inputGates,
                        Collections.emptyList());
    }

    /**
     * What reads an input and gives its elements to the operator. To be called once for each.
     *
     * @param index of the input
     */
    <T> StreamOneInputProcessor<T> processor(
            int index, Input<T> input, WatermarkGauge watermarkGauge) {
        StreamConfig config = task.getConfiguration();
        ClassLoader loader = task.getUserCodeClassLoader();
        KeySelector<T, Serializable> key = keySelector(index);
        One<T> output =
                new One<>(
                        key != null ? input : UnkeyedInput.of(input, agent.producerKeys()),
                        watermarkGauge);
        inputs.add(output);
        return new StreamOneInputProcessor<>(
                new ElasticNetworkInput<>(
                        index,
                        gates[index],
                        config.<T>getTypeSerializerIn(index, loader),
                        task.getEnvironment().getIOManager(),
                        output,
                        agent.inputs(),
                        key),
                output,
                chain);
    }

    @Nullable
    @SuppressWarnings("unchecked")
    private <T> KeySelector<T, Serializable> keySelector(int index) {
        return (KeySelector<T, Serializable>)
                task.getConfiguration().getStatePartitioner(index, task.getUserCodeClassLoader());
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
        StreamStatus status = StreamStatus.ACTIVE;

        One(Input<T> input, WatermarkGauge watermarkGauge) {
            super(chain);
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
    static <T> Input<T> firstOf(TwoInputStreamOperator<T, ?, ?> operator) {
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
    static <T> Input<T> secondOf(TwoInputStreamOperator<?, T, ?> operator) {
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
