// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.EventTime;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.job.MigrationFigures;
import java.util.Set;

/**
 * All units of a step have moved; receivers wait for data that comes apart from them, and donors
 * until they have deleted it. Event time goes on meanwhile, but no checkpoint runs and no other
 * step begins.
 */
public final class Transferring extends ReportState<Transferring.Context> {

    private final long step;
    private final Set<AttemptId> subtasks;
    private final MigrationFigures figures;
    private final Runnable then;

    /** How often a subtask has told of data. */
    private int news;

    /** What this state may do. */
    public interface Context extends State.Context {

        /** A subtask has told how far it is in event time. */
        void onEventTime(AttemptId task, EventTime time);
    }

    /**
     * @param subtasks those who have not reported yet that they have all data, and only what is
     *     theirs
     */
    public Transferring(
            Context context,
            long step,
            Set<AttemptId> subtasks,
            MigrationFigures figures,
            Runnable then) {
        super(context, RescaleState.TRANSFERRING);
        this.step = step;
        this.subtasks = subtasks;
        this.figures = figures;
        this.then = then;
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        subtasks.forEach(subtask -> await(subtask, "data"));
    }

    /** Much data takes long, and that is no fault; none for long is one. */
    @Override
    int patience() {
        return Integer.MAX_VALUE;
    }

    @Override
    long progress() {
        return news;
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.DataCompleted
                && ((TaskReport.DataCompleted) report).step == step) {
            TaskReport.DataCompleted completed = (TaskReport.DataCompleted) report;
            context.onEventTime(task, completed.time);
            figures.add(completed);
            news++;
            got(task, "data");
        } else if (report instanceof TaskReport.StepProceeds
                && ((TaskReport.StepProceeds) report).step == step) {
            news++;
        }
    }

    @Override
    void done() {
        then.run();
    }
}
