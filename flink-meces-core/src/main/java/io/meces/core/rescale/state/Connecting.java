// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;

/** Scale-out: upstreams and consumers open channels to the new subtasks. */
public final class Connecting extends ReportState<Connecting.Context> {

    private static final String CONNECTED = "connected";

    /** What this state may do. */
    public interface Context extends State.Context {

        /** Tells the consumers where the new subtasks are. */
        void publishNewSubtasks();

        void onConnected();

        /** New subtasks go again; nothing has moved. */
        void withdraw(String reason);

        /**
         * As {@link #withdraw(String)}.
         *
         * @param consumer a task that cannot open its channel to a new subtask
         */
        void withdraw(String reason, TaskReport.NotConnected report, AttemptId consumer);
    }

    public Connecting(Context context) {
        super(context, RescaleState.CONNECTING);
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    public void enter() {
        afterStepTimeout(context::withdraw);
        context.publishNewSubtasks();
        awaitConsumers(true, scaling.from, scaling.to);
        sendUpstream(
                new TaskCommand.Connect(
                        scaling.id, scaling.vertex.inputs(), scaling.from, scaling.to),
                CONNECTED);
        maybeDone();
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Connected) {
            got(task, CONNECTED);
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        } else if (report instanceof TaskReport.ConnectFailed) {
            context.withdraw(
                    "new subtasks of "
                            + scaling.vertex.name()
                            + " cannot be connected with "
                            + ((TaskReport.ConnectFailed) report).reason);
        } else if (report instanceof TaskReport.NotConnected) {
            TaskReport.NotConnected failed = (TaskReport.NotConnected) report;
            context.withdraw(
                    "new subtask "
                            + failed.channel
                            + " of "
                            + scaling.vertex.name()
                            + " cannot be connected with "
                            + failed.reason,
                    failed,
                    task);
        }
    }

    /** Whether an upstream has not opened its channels: once it has finished it never will. */
    public boolean awaits(AttemptId upstream) {
        return isAwaited(upstream, CONNECTED);
    }

    @Override
    public void onFinished(AttemptId task) {
        if (awaits(task)) {
            context.withdraw(scaling.end());
        } else {
            super.onFinished(task);
        }
    }

    @Override
    void done() {
        context.onConnected();
    }
}
