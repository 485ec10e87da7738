// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.EventTime;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.job.MigrationFigures;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Upstreams switch and send the marker of a step; its units move. */
public final class Migrating extends ReportState<Migrating.Context> {

    private static final Logger LOG = LoggerFactory.getLogger(Migrating.class);

    /**
     * A long queue before the markers is no fault, but there may be no end to it: an upstream that
     * hangs sends no marker, while others go on.
     */
    private static final int PATIENCE = 9;

    private final StepMoves moves;
    private final MigrationFigures figures;
    private final Consumer<Set<AttemptId>> then;

    /** Receivers that have all their units, and not yet all data. */
    private final Set<AttemptId> awaitingData = new LinkedHashSet<>();

    /** How often a subtask has told that it works off its queue. */
    private int news;

    /** What this state may do. */
    public interface Context extends State.Context {

        /** A subtask has told how far it is in event time. */
        void onEventTime(AttemptId task, EventTime time);
    }

    /**
     * @param then is given the receivers that still await data
     */
    public Migrating(
            Context context,
            StepMoves moves,
            MigrationFigures figures,
            Consumer<Set<AttemptId>> then) {
        super(context, RescaleState.MIGRATING);
        this.moves = moves;
        this.figures = figures;
        this.then = then;
    }

    @Override
    public void enter() {
        failAfterStepTimeout();
        for (int subtask : moves.participants().stream().toArray()) {
            await(scaling.attempt(subtask), "completed");
        }
        sendUpstream(new TaskCommand.Switch(scaling.id, scaling.vertex.inputs(), moves), null);
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.StepCompleted
                && ((TaskReport.StepCompleted) report).step == moves.step()) {
            TaskReport.StepCompleted completed = (TaskReport.StepCompleted) report;
            context.onEventTime(task, completed.time);
            figures.add(completed);
            if (completed.dataToCome) {
                awaitingData.add(task);
            }
            StepStatistics statistics = completed.statistics;
            LOG.debug(
                    "Rescale {}: {} completed {}, {} units ({} on demand), {} records"
                            + " forwarded; {}",
                    scaling.name,
                    task,
                    moves,
                    statistics.unitsSent,
                    statistics.unitsOnDemand,
                    statistics.recordsForwarded,
                    statistics.waits);
            got(task, "completed");
        } else if (report instanceof TaskReport.DataCompleted
                && ((TaskReport.DataCompleted) report).step == moves.step()) {
            TaskReport.DataCompleted completed = (TaskReport.DataCompleted) report;
            context.onEventTime(task, completed.time);
            figures.add(completed);
            awaitingData.remove(task);
        } else if (report instanceof TaskReport.StepProceeds
                && ((TaskReport.StepProceeds) report).step == moves.step()) {
            news++;
        }
    }

    @Override
    int patience() {
        return PATIENCE;
    }

    @Override
    long progress() {
        return news;
    }

    @Override
    void done() {
        then.accept(awaitingData);
    }
}
