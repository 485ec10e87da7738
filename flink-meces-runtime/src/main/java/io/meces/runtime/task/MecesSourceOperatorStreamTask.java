// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Mailbox;
import io.meces.runtime.source.PendingRecords;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A source of FLIP-27 before an elastic vertex. */
public final class MecesSourceOperatorStreamTask<T> extends SourceOperatorStreamTask<T> {

    private final TaskAgent agent;
    private final Suspensions suspensions;
    private boolean isKnown;

    public MecesSourceOperatorStreamTask(Environment environment) throws Exception {
        super(TaskAgent.enter(environment));
        agent = new TaskAgent(getEnvironment());
        suspensions = agent.suspensions();
    }

    @Override
    protected void processInput(MailboxDefaultAction.Controller controller) throws Exception {
        if (!isKnown) {
            // the reader is made when the task has been restored
            PendingRecords.register(mainOperator.getSourceReader(), mainOperator.getMetricGroup());
            isKnown = true;
        }
        super.processInput(suspensions.of(controller));
    }

    @Override
    public void init() throws Exception {
        super.init();
        agent.start(operatorChain, Mailbox.of(this));
    }
}
