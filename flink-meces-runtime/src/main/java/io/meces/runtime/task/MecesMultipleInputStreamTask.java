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
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.runtime.io.MultipleInputSelectionHandler;
import org.apache.flink.streaming.runtime.io.StreamMultipleInputProcessor;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.tasks.MultipleInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A multiple-input task that is, or is next to, an elastic vertex. No source is chained to it. */
public final class MecesMultipleInputStreamTask<OUT> extends MultipleInputStreamTask<OUT> {

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
    public void init() throws Exception {
        super.init();
        agent.start(operatorChain, StreamTaskAccess.mailbox(this));
    }

    @Override
    protected void createInputProcessor(
            List<IndexedInputGate>[] inputGates,
            StreamConfig.InputConfig[] configs,
            WatermarkGauge[] watermarkGauges) {
        SeveralInputs inputs =
                new SeveralInputs(
                        this,
                        agent,
                        operatorChain,
                        setupNumRecordsInCounter(mainOperator),
                        inputGates);
        StreamOneInputProcessor<?>[] processors = new StreamOneInputProcessor<?>[configs.length];
        for (int i = 0; i < processors.length; i++) {
            Input<?> input = mainOperator.getInputs().get(i);
            processors[i] = inputs.processor(i, input, watermarkGauges[i]);
        }
        InputSelectable selectable =
                mainOperator instanceof InputSelectable ? (InputSelectable) mainOperator : null;
        inputProcessor =
                new StreamMultipleInputProcessor(
                        new MultipleInputSelectionHandler(selectable, processors.length),
                        processors);
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
