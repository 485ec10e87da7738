// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.Mailbox;
import io.meces.flink.runtime.OneInputTask;
import io.meces.flink.runtime.TimerServices;
import java.util.concurrent.Future;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.metrics.MetricNames;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.io.StreamOneInputProcessor;
import org.apache.flink.streaming.runtime.metrics.WatermarkGauge;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A one-input task that is, or is next to, an elastic vertex. */
public final class MecesOneInputStreamTask<IN, OUT> extends OneInputTask<IN, OUT> {

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
    @Nullable
    protected TimerServices timerServices() {
        return agent.timerServices();
    }

    @Override
    public void init() throws Exception {
        StreamConfig config = getConfiguration();
        ClassLoader loader = getUserCodeClassLoader();
        Counter recordsIn = setupNumRecordsInCounter(mainOperator);
        getEnvironment().getMetricGroup().getIOMetricGroup().reuseRecordsInputCounter(recordsIn);
        OneInput<IN> output = new OneInput<>(mainOperator, operatorChain, watermark, recordsIn);
        ElasticNetworkInput<IN> input =
                new ElasticNetworkInput<>(
                        0,
                        openGate(),
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
        agent.start(operatorChain, Mailbox.of(this));
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
