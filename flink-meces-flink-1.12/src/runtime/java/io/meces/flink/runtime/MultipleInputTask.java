// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.runtime.io.MultipleInputSelectionHandler;
import org.apache.flink.streaming.runtime.io.StreamMultipleInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.tasks.MultipleInputStreamTask;

/** A multiple-input task of Flink whose inputs are ours. Owned by the task thread. */
public abstract class MultipleInputTask<OUT> extends MultipleInputStreamTask<OUT> {

    protected MultipleInputTask(Environment environment) throws Exception {
        super(environment);
    }

    /** What makes the timer services of its operators; null: Flink does. */
    @Nullable
    protected abstract TimerServices timerServices();

    /** The task ends, however it ends. */
    protected abstract void beforeCleanUp();

    @Override
    public final StreamTaskStateInitializer createStreamTaskStateInitializer() {
        return timerServices() == null
                ? super.createStreamTaskStateInitializer()
                : StateInitializers.of(getEnvironment(), stateBackend, timerServices());
    }

    @Override
    protected final void cleanup() throws Exception {
        beforeCleanUp();
        super.cleanup();
    }

    /** The gates of each input as one; barriers are aligned over all. To be called once. */
    protected final TaskGate[] openGates(List<IndexedInputGate>[] gatesOfInputs) {
        return TaskGates.of(this, gatesOfInputs);
    }

    /** Makes what reads the inputs, and gives it to {@link #read}. */
    protected abstract void readInputs(
            List<IndexedInputGate>[] gatesOfInputs, WatermarkGauge[] watermarkGauges);

    /**
     * @param selectable chooses from which input to read next; null: all are read alike
     */
    protected final void read(
            @Nullable InputSelectable selectable, StreamOneInputProcessor<?>[] inputs) {
        inputProcessor =
                new StreamMultipleInputProcessor(
                        new MultipleInputSelectionHandler(selectable, inputs.length), inputs);
    }

    @Override
    protected final void createInputProcessor(
            List<IndexedInputGate>[] gatesOfInputs,
            StreamConfig.InputConfig[] configs,
            WatermarkGauge[] watermarkGauges) {
        readInputs(gatesOfInputs, watermarkGauges);
    }
}
