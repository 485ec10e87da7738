// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/** Whether the inputs of a task are idle. An operator joins those of its own. Task thread. */
public final class InputIdleness {

    public InputIdleness(OperatorChain<?, ?> chain) {
        // operators tell each other
    }

    /** That of one more input. */
    public Of add(Input<?> input) {
        return new Of(input);
    }

    /** That of one input. */
    public static final class Of {

        private final Input<?> input;

        private Of(Input<?> input) {
            this.input = input;
        }

        /** The input has become idle, or active again. */
        public void set(boolean nowIdle) throws Exception {
            input.processWatermarkStatus(Idleness.status(nowIdle));
        }
    }
}
