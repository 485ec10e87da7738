// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.ElementOutput;
import io.meces.flink.runtime.InputIdleness;
import io.meces.flink.runtime.OtherElements;
import io.meces.flink.runtime.TaskGate;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamTask;

/**
 * The inputs of an operator that has two or more. The task is idle when all are. Owned by the task
 * thread.
 */
final class SeveralInputs {

    private final StreamTask<?, ?> task;
    private final TaskAgent agent;
    private final OperatorChain<?, ?> chain;
    private final Counter recordsIn;
    private final TaskGate[] gates;
    private final InputIdleness joint;

    /**
     * @param recordsIn counts the records of all inputs
     * @param gates those of each input
     */
    SeveralInputs(
            StreamTask<?, ?> task,
            TaskAgent agent,
            OperatorChain<?, ?> chain,
            Counter recordsIn,
            TaskGate[] gates) {
        this.task = task;
        this.agent = agent;
        this.chain = chain;
        this.recordsIn = recordsIn;
        TaskIOMetricGroup metrics = task.getEnvironment().getMetricGroup().getIOMetricGroup();
        metrics.reuseRecordsInputCounter(recordsIn);
        this.gates = gates;
        this.joint = new InputIdleness(chain);
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
        One<T> output = new One<>(key != null, input, watermarkGauge);
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

    private final class One<T> extends ElementOutput<T> {

        private final boolean keyed;
        private final Input<T> input;
        private final WatermarkGauge watermarkGauge;
        private final InputIdleness.Of idleness;

        One(boolean keyed, Input<T> input, WatermarkGauge watermarkGauge) {
            this.keyed = keyed;
            this.input = input;
            this.idleness = joint.add(input);
            this.watermarkGauge = watermarkGauge;
        }

        @Override
        public void emitRecord(StreamRecord<T> record) throws Exception {
            recordsIn.inc();
            if (!keyed) {
                agent.beginWithoutKey();
            }
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
        protected void emitIdleness(boolean idle) throws Exception {
            idleness.set(idle);
        }

        @Override
        protected void emitOther(StreamElement element) throws Exception {
            OtherElements.process(input, element);
        }
    }
}
