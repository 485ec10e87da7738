// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;

/**
 * Scale-out that is given up while new subtasks are being connected: they say good-bye to their
 * consumers. Nothing has been sent through the channels but watermarks.
 */
public final class Withdrawing extends ReportState<State.Context> {

    private final Runnable then;

    public Withdrawing(State.Context context, Runnable then) {
        super(context, RescaleState.WITHDRAWING);
        this.then = then;
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        awaitConsumers(false, scaling.from, scaling.to);
        scaling.newSubtasks().stream().forEach(k -> await(scaling.attempt(k), "retired"));
        TaskCommand retire = new TaskCommand.Retire(scaling.id);
        scaling.newSubtasks().stream().forEach(k -> send(k, retire));
        maybeDone();
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Retired) {
            got(task, "retired");
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        } else if (report instanceof TaskReport.NotConnected) {
            // it will not hear of its end either
            got(task, subject(false, ((TaskReport.NotConnected) report).channel));
        }
    }

    @Override
    void done() {
        then.run();
    }
}
