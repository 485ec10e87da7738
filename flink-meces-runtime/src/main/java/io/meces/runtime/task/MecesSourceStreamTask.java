// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Mailbox;
import io.meces.runtime.source.PendingRecords;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.streaming.api.operators.StreamSource;
import org.apache.flink.streaming.runtime.tasks.SourceStreamTask;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.SerializedValue;

/** A legacy source before an elastic vertex. */
public final class MecesSourceStreamTask<
                OUT, SRC extends SourceFunction<OUT>, OP extends StreamSource<OUT, SRC>>
        extends SourceStreamTask<OUT, SRC, OP> {

    private final TaskAgent agent;

    public MecesSourceStreamTask(Environment environment) throws Exception {
        super(TaskAgent.enter(environment));
        agent = new TaskAgent(getEnvironment());
    }

    @Override
    protected void init() {
        super.init();
        try {
            PendingRecords.register(mainOperator.getUserFunction(), mainOperator.getMetricGroup());
            agent.start(operatorChain, Mailbox.of(this));
        } catch (Exception e) {
            throw new FlinkRuntimeException("Cannot start " + getName(), e);
        }
    }

    /** Its thread may be blocked with the lock that the command waits for. */
    @Override
    public void dispatchOperatorEvent(OperatorID operator, SerializedValue<OperatorEvent> event)
            throws FlinkException {
        agent.beforeCommand();
        try {
            super.dispatchOperatorEvent(operator, event);
        } finally {
            agent.afterCommand();
        }
    }
}
