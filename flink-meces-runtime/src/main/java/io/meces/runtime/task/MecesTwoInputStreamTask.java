/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import java.util.List;
import java.util.concurrent.Future;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.runtime.io.StreamTwoInputProcessor;
import org.apache.flink.streaming.runtime.io.TwoInputSelectionHandler;
import org.apache.flink.streaming.runtime.tasks.AbstractTwoInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A two-input task that is, or is next to, an elastic vertex. */
public final class MecesTwoInputStreamTask<IN1, IN2, OUT>
        extends AbstractTwoInputStreamTask<IN1, IN2, OUT> {

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
    public void init() throws Exception {
        super.init();
        agent.start(operatorChain, StreamTaskAccess.mailbox(this));
    }

    @Override
    protected void createInputProcessor(
            List<IndexedInputGate> gates1, List<IndexedInputGate> gates2) {
        SeveralInputs inputs =
                new SeveralInputs(
                        this,
                        agent,
                        operatorChain,
                        setupNumRecordsInCounter(mainOperator),
                        gates1,
                        gates2);
        InputSelectable selectable =
                mainOperator instanceof InputSelectable ? (InputSelectable) mainOperator : null;
        inputProcessor =
                new StreamTwoInputProcessor<>(
                        new TwoInputSelectionHandler(selectable),
                        inputs.processor(
                                0, SeveralInputs.<IN1>firstOf(mainOperator), input1WatermarkGauge),
                        inputs.processor(
                                1,
                                SeveralInputs.<IN2>secondOf(mainOperator),
                                input2WatermarkGauge));
    }

    @Override
    public Future<Void> notifyCheckpointCompleteAsync(long checkpointId) {
        Future<Void> notified = super.notifyCheckpointCompleteAsync(checkpointId);
        agent.afterCheckpointComplete(checkpointId);
        return notified;
    }

    @Override
    protected void cleanup() throws Exception {
        agent.close();
        super.cleanup();
    }
}
