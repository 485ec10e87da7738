// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Mailbox;
import io.meces.flink.runtime.TimerServices;
import io.meces.flink.runtime.TwoInputTask;
import io.meces.flink.runtime.TwoInputs;
import java.util.List;
import java.util.concurrent.Future;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A two-input task that is, or is next to, an elastic vertex. */
public final class MecesTwoInputStreamTask<IN1, IN2, OUT> extends TwoInputTask<IN1, IN2, OUT> {

    private final TaskAgent agent;
    private final Suspensions suspensions;

    public MecesTwoInputStreamTask(Environment environment) throws Exception {
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
    @SuppressWarnings({"unchecked", "rawtypes"})
    protected void readInputs(List<IndexedInputGate> gates1, List<IndexedInputGate> gates2) {
        SeveralInputs inputs =
                new SeveralInputs(
                        this,
                        agent,
                        operatorChain,
                        setupNumRecordsInCounter(mainOperator),
                        openGates(new List[] {gates1, gates2}));
        InputSelectable selectable =
                mainOperator instanceof InputSelectable ? (InputSelectable) mainOperator : null;
        read(
                selectable,
                inputs.processor(0, TwoInputs.<IN1>firstOf(mainOperator), input1WatermarkGauge),
                inputs.processor(1, TwoInputs.<IN2>secondOf(mainOperator), input2WatermarkGauge));
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
