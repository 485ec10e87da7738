// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;

/** A one-input task of Flink whose inputs are ours. Owned by the task thread. */
public abstract class OneInputTask<IN, OUT> extends OneInputStreamTask<IN, OUT> {

    protected OneInputTask(Environment environment) throws Exception {
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

    /** All gates of the task as one. To be called once, in {@code init()}. */
    protected final TaskGate openGate() {
        return TaskGates.of(this);
    }
}
