// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/** Whether the inputs of a task are idle: the task is when all are. Task thread. */
public final class InputIdleness {

    private final OperatorChain<?, ?> chain;
    private final List<Of> inputs = new ArrayList<>();

    public InputIdleness(OperatorChain<?, ?> chain) {
        this.chain = chain;
    }

    /** That of one more input. */
    public Of add(Input<?> input) {
        Of added = new Of();
        inputs.add(added);
        return added;
    }

    private boolean areAllIdle() {
        for (Of input : inputs) {
            if (!input.idle) {
                return false;
            }
        }
        return true;
    }

    /** That of one input. */
    public final class Of {

        private boolean idle;

        private Of() {}

        /** The input has become idle, or active again. */
        public void set(boolean nowIdle) throws Exception {
            idle = nowIdle;
            StreamStatus joint = Idleness.status(areAllIdle());
            if (!joint.equals(chain.getStreamStatus())) {
                chain.toggleStreamStatus(joint);
            }
        }
    }
}
