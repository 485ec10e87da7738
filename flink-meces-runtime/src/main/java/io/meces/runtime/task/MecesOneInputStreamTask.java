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

import java.util.concurrent.Future;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.metrics.MetricNames;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.io.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.InputProcessorUtil;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A one-input task that is, or is next to, an elastic vertex. */
public final class MecesOneInputStreamTask<IN, OUT> extends OneInputStreamTask<IN, OUT> {

    private final TaskAgent agent;
    private final Suspensions suspensions;
    private final WatermarkGauge watermark = new WatermarkGauge();

    public MecesOneInputStreamTask(Environment environment) throws Exception {
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
        StreamConfig config = getConfiguration();
        ClassLoader loader = getUserCodeClassLoader();
        Counter recordsIn = setupNumRecordsInCounter(mainOperator);
        getEnvironment().getMetricGroup().getIOMetricGroup().reuseRecordsInputCounter(recordsIn);
        CheckpointedInputGate gate =
                InputProcessorUtil.createCheckpointedInputGate(
                        this,
                        config,
                        StreamTaskAccess.checkpointCoordinator(this),
                        getEnvironment().getAllInputGates(),
                        getEnvironment().getMetricGroup().getIOMetricGroup(),
                        StreamTaskAccess.nameWithSubtaskAndId(this),
                        StreamTaskAccess.mailbox(this));
        OneInput<IN> output =
                new OneInput<>(mainOperator, getStreamStatusMaintainer(), watermark, recordsIn);
        ElasticNetworkInput<IN> input =
                new ElasticNetworkInput<>(
                        0,
                        gate,
                        config.<IN>getTypeSerializerIn(0, loader),
                        getEnvironment().getIOManager(),
                        output,
                        agent.inputs(),
                        config.getStatePartitioner(0, loader));
        inputProcessor = new StreamOneInputProcessor<>(input, output, operatorChain);
        mainOperator.getMetricGroup().gauge(MetricNames.IO_CURRENT_INPUT_WATERMARK, watermark);
        getEnvironment()
                .getMetricGroup()
                .gauge(MetricNames.IO_CURRENT_INPUT_WATERMARK, watermark::getValue);
        agent.start(operatorChain, StreamTaskAccess.mailbox(this));
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
