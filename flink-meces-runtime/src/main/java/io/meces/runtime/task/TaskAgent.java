// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.command.CommandLog;
import io.meces.core.command.ReportOutbox;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.plan.VertexLayout;
import io.meces.flink.runtime.Mailbox;
import io.meces.flink.runtime.TimerServices;
import io.meces.runtime.event.CommandEvent;
import io.meces.runtime.rpc.MecesCoordination;
import io.meces.runtime.shuffle.ProducerKey;
import io.meces.runtime.shuffle.TaskLinks;
import io.meces.runtime.sink.PartFiles;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.UnitKeyContext;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the scheduler's commands in a task that is, or is next to, an elastic vertex, and reports
 * back. Owned by the task thread.
 */
public final class TaskAgent implements InputGroup.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(TaskAgent.class);

    private final Environment environment;
    private final TaskLinks links;
    private final InputGroup inputs;
    @Nullable private final KeyClocks clocks;
    private final CommandLog commands = new CommandLog();
    private UpstreamAgent upstream;
    private ReportOutbox<TaskReport> reports;

    /** Null if the task's own vertex is not elastic. */
    @Nullable private volatile ElasticAgent elastic;

    @Nullable private volatile MailboxThread thread;

    /**
     * To be called as the argument of the super constructor of a task: what is made there finds its
     * links.
     */
    static Environment enter(Environment environment) {
        TaskLinks links = TaskLinks.enter(environment.getExecutionId());
        if (links == null) {
            throw new IllegalStateException(
                    "The task "
                            + environment.getTaskInfo().getTaskNameWithSubtasks()
                            + " is elastic, but its TaskManager has another shuffle service. Set"
                            + " shuffle-service-factory.class:"
                            + " io.meces.runtime.shuffle.ElasticShuffleServiceFactory in the"
                            + " configuration of every TaskManager.");
        }
        VertexLayout layout = links.vertex();
        return layout == null ? environment : new ElasticTaskEnvironment(environment, layout);
    }

    /** To be made in the constructor of the task, after that of its superclass. */
    public TaskAgent(Environment environment) {
        this.environment = environment;
        this.links = TaskLinks.leave();
        VertexLayout vertex = links.vertex();
        this.inputs = new InputGroup(vertex, this);
        this.clocks =
                vertex == null ? null : new KeyClocks(vertex.keyGroups() * vertex.subGroups());
    }

    /** Measures how long the task does not process input. */
    Suspensions suspensions() {
        return new Suspensions(environment, links.times());
    }

    /** The inputs of the task; the task adds them in {@code init()}. */
    public InputGroup inputs() {
        return inputs;
    }

    /** What makes the timer services of the operators; null: Flink does. */
    @Nullable
    public TimerServices timerServices() {
        return clocks;
    }

    /** A record is about to be processed that has no key. */
    void beginWithoutKey() {
        if (clocks != null) {
            clocks.beginWithoutKey();
        }
        for (ProducerKey key : links.producerKeys()) {
            key.leave();
        }
    }

    @Nullable
    private static UnitKeyContext<?> keyContextOf(OperatorChain<?, ?> chain, OperatorID operator) {
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            if (wrapper.getStreamOperator().getOperatorID().equals(operator)) {
                ElasticKeyedStateBackend backend =
                        (ElasticKeyedStateBackend)
                                ElasticTimers.keyedStateBackend(wrapper.getStreamOperator());
                return backend == null ? null : backend.keyContext();
            }
        }
        throw new IllegalStateException("The chain has no operator " + operator);
    }

    /**
     * To be called at the end of {@code init()}, when the inputs are complete and operators have no
     * state yet.
     *
     * @param registry where commands are subscribed to
     */
    public void start(OperatorChain<?, ?> chain, Mailbox mailbox) throws Exception {
        MailboxThread thread = new MailboxThread(mailbox, links.transition());
        this.thread = thread;
        reports = new ReportOutbox<>(thread, new ReportLink(environment));
        upstream = new UpstreamAgent(links, chain);
        VertexLayout layout = links.vertex();
        if (layout != null) {
            String activation =
                    layout.activation(environment.getTaskInfo().getIndexOfThisSubtask());
            for (StreamOperatorWrapper<?, ?> operator : chain.getAllOperators()) {
                PartFiles.begin(operator.getStreamOperator(), activation);
            }
            elastic =
                    new ElasticAgent(
                            environment,
                            links,
                            inputs,
                            chain,
                            clocks,
                            upstream,
                            thread,
                            reports::add);
        }
        for (ProducerKey key : links.producerKeys()) {
            key.link(
                    environment.getTaskInfo().getIndexOfThisSubtask(),
                    () -> keyContextOf(chain, key.operator()));
        }
        inputs.markInactive(links.gates());
        chain.getOperatorEventDispatcher()
                .registerEventHandler(MecesCoordination.OPERATOR_ID, this::onCommand);
        links.onNotConnected(
                (gate, channel, failure) ->
                        thread.execute(
                                () -> reportNotConnected(gate, channel, failure),
                                "A channel cannot be opened"));
        upstream.announce(environment.getTaskInfo().getIndexOfThisSubtask());
    }

    /**
     * To be called when a command comes, before it is mailed. The task has buffers to go on with
     * until it has been carried out; nothing is to be done for that. Any thread.
     */
    public void beforeCommand() {
        links.overdraft().open();
    }

    /** To be called when the command has been mailed. Any thread. */
    public void afterCommand() {
        MailboxThread current = thread;
        if (current == null) {
            // it is not running yet
            links.overdraft().close();
        } else {
            current.execute(links.overdraft()::close, "A command has been carried out");
        }
    }

    /**
     * To be called when the operators have been told, or are about to be told by a mail, that a
     * checkpoint is complete. Any thread.
     */
    public void afterCheckpointComplete(long checkpointId) {
        ElasticAgent current = elastic;
        if (current != null) {
            current.afterCheckpointComplete(checkpointId);
        }
    }

    /** To be called when the task ends, however it ends. */
    public void close() {
        if (elastic != null) {
            elastic.close();
        }
    }

    private void onCommand(OperatorEvent event) {
        TaskCommand command = ((CommandEvent) event).command();
        try {
            execute(command);
        } catch (Exception e) {
            throw new FlinkRuntimeException(
                    environment.getTaskInfo().getTaskNameWithSubtasks()
                            + " cannot carry out "
                            + command.getClass().getSimpleName(),
                    e);
        }
    }

    private void execute(TaskCommand command) throws Exception {
        if (commands.isRepetition(command)) {
            LOG.debug("{} has come before: {}", command, environment.getExecutionId());
            return;
        }
        LOG.debug("{}: {}", environment.getTaskInfo().getTaskNameWithSubtasks(), command);
        if (command instanceof TaskCommand.Connect) {
            String failure = upstream.connect((TaskCommand.Connect) command);
            reports.add(
                    failure == null
                            ? new TaskReport.Connected(command.rescale())
                            : new TaskReport.ConnectFailed(
                                    command.rescale(),
                                    environment.getTaskInfo().getTaskNameWithSubtasks()
                                            + ": "
                                            + failure));
        } else if (command instanceof TaskCommand.Switch) {
            upstream.switchRouting((TaskCommand.Switch) command);
        } else if (command instanceof TaskCommand.Disconnect) {
            upstream.disconnect((TaskCommand.Disconnect) command);
            reports.add(new TaskReport.Disconnected(command.rescale()));
        } else if (command instanceof TaskCommand.Retire) {
            upstream.retire();
            reports.add(new TaskReport.Retired(command.rescale()));
        } else if (command instanceof TaskCommand.EndInput) {
            elastic.endInput((TaskCommand.EndInput) command);
        } else if (command instanceof TaskCommand.Begin) {
            elastic.begin((TaskCommand.Begin) command);
        } else if (command instanceof TaskCommand.StartStep) {
            elastic.startStep((TaskCommand.StartStep) command);
        } else if (command instanceof TaskCommand.AlignWatermark) {
            elastic.alignWatermark((TaskCommand.AlignWatermark) command);
        } else if (command instanceof TaskCommand.End) {
            elastic.end((TaskCommand.End) command);
        } else if (command instanceof TaskCommand.MeasureLoad) {
            reports.add(elastic.measureLoad((TaskCommand.MeasureLoad) command));
        } else if (command instanceof TaskCommand.DescribeState) {
            reports.add(elastic.describeState((TaskCommand.DescribeState) command));
        } else {
            throw new IllegalArgumentException("unknown command " + command);
        }
    }

    @Override
    public void channelChanged(InputChannelInfo channel, boolean up) {
        reports.add(
                new TaskReport.ChannelChanged(
                        channel.getGateIdx(), channel.getInputChannelIdx(), up));
    }

    @Override
    public void afterProgress() throws Exception {
        elastic.afterProgress();
    }

    private void reportNotConnected(int gate, int channel, Exception failure) {
        reports.add(
                new TaskReport.NotConnected(
                        gate,
                        channel,
                        environment.getTaskInfo().getTaskNameWithSubtasks()
                                + ": "
                                + failure.getMessage()));
    }
}
