// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.SubTaskInitializationMetricsBuilder;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.runtime.io.MultipleInputSelectionHandler;
import org.apache.flink.streaming.runtime.io.StreamMultipleInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.tasks.AbstractTwoInputStreamTask;

/** A two-input task of Flink whose inputs are ours. Owned by the task thread. */
public abstract class TwoInputTask<IN1, IN2, OUT>
        extends AbstractTwoInputStreamTask<IN1, IN2, OUT> {

    @Nullable private CheckpointBarrierHandler barriers;

    protected TwoInputTask(Environment environment) throws Exception {
        super(environment);
    }

    /** What makes the timer services of its operators; null: Flink does. */
    @Nullable
    protected abstract TimerServices timerServices();

    /** The task ends, however it ends. */
    protected abstract void beforeCleanUp();

    @Override
    public final StreamTaskStateInitializer createStreamTaskStateInitializer(
            SubTaskInitializationMetricsBuilder metrics) {
        return timerServices() == null
                ? super.createStreamTaskStateInitializer(metrics)
                : StateInitializers.of(this, stateBackend, metrics, timerServices());
    }

    @Override
    protected final void cleanUpInternal() throws Exception {
        beforeCleanUp();
        super.cleanUpInternal();
    }

    /** Triggers the checkpoints of a task whose producers have all finished. */
    @Override
    protected final Optional<CheckpointBarrierHandler> getCheckpointBarrierHandler() {
        return Optional.ofNullable(barriers);
    }

    /** The gates of each input as one; barriers are aligned over all. To be called once. */
    protected final TaskGate[] openGates(List<IndexedInputGate>[] gatesOfInputs) {
        TaskGate[] gates = TaskGates.of(this, systemTimerService, gatesOfInputs);
        barriers = gates[0].barriers();
        return gates;
    }

    /** Makes what reads the inputs, and gives it to {@link #read}. */
    protected abstract void readInputs(
            List<IndexedInputGate> gates1, List<IndexedInputGate> gates2);

    /**
     * @param selectable chooses from which input to read next; null: both are read alike
     */
    protected final void read(
            @Nullable InputSelectable selectable,
            StreamOneInputProcessor<IN1> first,
            StreamOneInputProcessor<IN2> second) {
        inputProcessor =
                new StreamMultipleInputProcessor(
                        new MultipleInputSelectionHandler(selectable, 2),
                        new StreamOneInputProcessor<?>[] {first, second});
    }

    @Override
    protected final void createInputProcessor(
            List<IndexedInputGate> gates1,
            List<IndexedInputGate> gates2,
            Function<Integer, StreamPartitioner<?>> partitioners) {
        readInputs(gates1, gates2);
    }
}
