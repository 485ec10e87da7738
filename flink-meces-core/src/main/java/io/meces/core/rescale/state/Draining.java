// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import javax.annotation.Nullable;

/** Scale-in: the operators of the subtasks that leave end. */
public final class Draining extends ReportState<Draining.Context> {

    /** What this state may do. */
    public interface Context extends State.Context {

        /** Null: they can. */
        @Nullable
        String whyNoneCanLeave();

        /** The operators of the subtasks that leave get no more input. */
        void onInputEnds();

        void onDrained();

        /** The job is ending: the subtasks without key-groups end with the others. */
        void stay();

        /** All key-groups have moved, but no subtask can leave: those without key-groups stay. */
        void stay(String reason);
    }

    public Draining(Context context) {
        super(context, RescaleState.DRAINING);
    }

    @Override
    public void enter() {
        if (scaling.isEnding()) {
            context.stay();
            return;
        }
        String obstacle = context.whyNoneCanLeave();
        if (obstacle != null) {
            context.stay(obstacle);
            return;
        }
        failAfterStepTimeout();
        context.onInputEnds();
        scaling.leavingSubtasks().stream().forEach(k -> await(scaling.attempt(k), "ended"));
        TaskCommand endInput = new TaskCommand.EndInput(scaling.id);
        scaling.leavingSubtasks().stream().forEach(k -> send(k, endInput));
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.InputEnded) {
            got(task, "ended");
        }
    }

    @Override
    void done() {
        context.onDrained();
    }
}
