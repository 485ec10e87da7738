// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.SubTaskInitializationMetricsBuilder;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;

/** A one-input task of Flink whose inputs are ours. Owned by the task thread. */
public abstract class OneInputTask<IN, OUT> extends OneInputStreamTask<IN, OUT> {

    @Nullable private CheckpointBarrierHandler barriers;

    protected OneInputTask(Environment environment) throws Exception {
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

    /** All gates of the task as one. To be called once, in {@code init()}. */
    protected final TaskGate openGate() {
        TaskGate[] gates = TaskGates.of(this, systemTimerService);
        barriers = gates[0].barriers();
        return gates[0];
    }
}
