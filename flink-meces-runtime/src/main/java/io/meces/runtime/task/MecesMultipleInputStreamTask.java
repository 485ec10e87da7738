// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Mailbox;
import io.meces.flink.runtime.MultipleInputTask;
import io.meces.flink.runtime.TimerServices;
import java.util.List;
import java.util.concurrent.Future;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A multiple-input task that is, or is next to, an elastic vertex. No source is chained to it. */
public final class MecesMultipleInputStreamTask<OUT> extends MultipleInputTask<OUT> {

    private final TaskAgent agent;
    private final Suspensions suspensions;

    public MecesMultipleInputStreamTask(Environment environment) throws Exception {
        super(TaskAgent.enter(environment));
        agent = new TaskAgent(getEnvironment());
        suspensions = agent.suspensions();
    }

    @Override
    protected void processInput(MailboxDefaultAction.Controller controller) throws Exception {
        super.processInput(suspensions.of(controller));
    }

    @Override
    @Nullable
    protected TimerServices timerServices() {
        return agent.timerServices();
    }

    @Override
    public void init() throws Exception {
        super.init();
        agent.start(operatorChain, Mailbox.of(this));
    }

    @Override
    protected void readInputs(
            List<IndexedInputGate>[] gatesOfInputs, WatermarkGauge[] watermarkGauges) {
        SeveralInputs inputs =
                new SeveralInputs(
                        this,
                        agent,
                        operatorChain,
                        setupNumRecordsInCounter(mainOperator),
                        openGates(gatesOfInputs));
        StreamOneInputProcessor<?>[] processors =
                new StreamOneInputProcessor<?>[watermarkGauges.length];
        for (int i = 0; i < processors.length; i++) {
            Input<?> input = mainOperator.getInputs().get(i);
            processors[i] = inputs.processor(i, input, watermarkGauges[i]);
        }
        InputSelectable selectable =
                mainOperator instanceof InputSelectable ? (InputSelectable) mainOperator : null;
        read(selectable, processors);
    }

    @Override
    public Future<Void> notifyCheckpointCompleteAsync(long checkpointId) {
        Future<Void> notified = super.notifyCheckpointCompleteAsync(checkpointId);
        agent.afterCheckpointComplete(checkpointId);
        return notified;
    }

    @Override
    protected void beforeCleanUp() {
        agent.close();
    }
}
