// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;

/**
 * Subtasks say good-bye to their consumers: those that leave after a scale-in, or those that are
 * new and not to be, as a scale-out is given up while they are being connected. Nothing but
 * watermarks has been sent through the channels of these.
 */
public final class Retiring extends ReportState<State.Context> {

    private final int first;
    private final int end;
    private final Runnable then;

    /** Of subtasks first..end-1. */
    public Retiring(State.Context context, RescaleState shown, int first, int end, Runnable then) {
        super(context, shown);
        this.first = first;
        this.end = end;
        this.then = then;
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        awaitConsumers(false, first, end);
        for (int k = first; k < end; k++) {
            await(scaling.attempt(k), "retired");
        }
        TaskCommand retire = new TaskCommand.Retire(scaling.id);
        for (int k = first; k < end; k++) {
            send(k, retire);
        }
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
