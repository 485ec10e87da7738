// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;

/** Scale-in: the subtasks that leave say good-bye to their consumers. */
public final class Retiring extends ReportState<Retiring.Context> {

    /** What this state may do. */
    public interface Context extends State.Context {

        void onRetired();
    }

    public Retiring(Context context) {
        super(context, RescaleState.RETIRING);
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        awaitConsumers(false, scaling.to, scaling.from);
        scaling.leavingSubtasks().stream().forEach(k -> await(scaling.attempt(k), "retired"));
        TaskCommand retire = new TaskCommand.Retire(scaling.id);
        scaling.leavingSubtasks().stream().forEach(k -> send(k, retire));
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Retired) {
            got(task, "retired");
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        }
    }

    @Override
    void done() {
        context.onRetired();
    }
}
