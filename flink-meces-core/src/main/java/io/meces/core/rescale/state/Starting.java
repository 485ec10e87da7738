// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.StepMoves;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.job.Participants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The donors and receivers of a step learn its moves. */
public final class Starting extends ReportState<Starting.Context> {

    private static final Logger LOG = LoggerFactory.getLogger(Starting.class);

    private final StepMoves moves;
    private final Participants participants;
    private final long watermarkOfReceivers;
    private final Consumer<List<Early>> then;
    private final List<Early> completedEarly = new ArrayList<>();

    /** What this state may do. */
    public interface Context extends State.Context {

        /** Those that have no part in a step need not wait for its end. */
        void alignWatermarksOfOthers(StepMoves moves, long watermarkOfReceivers);
    }

    /**
     * @param then is given what some have already reported of the end of the step: without any open
     *     channel a subtask is aligned at once
     */
    public Starting(
            Context context,
            StepMoves moves,
            Participants participants,
            long watermarkOfReceivers,
            Consumer<List<Early>> then) {
        super(context, RescaleState.STARTING);
        this.moves = moves;
        this.participants = participants;
        this.watermarkOfReceivers = watermarkOfReceivers;
        this.then = then;
    }

    @Override
    public void enter() {
        LOG.debug("Rescale {}: starting {}", scaling.name, moves);
        failAfterStepTimeout();
        Map<Integer, TaskCommand.Peer> peers = new HashMap<>();
        int[] all = moves.participants().stream().toArray();
        for (int subtask : all) {
            peers.put(
                    subtask,
                    new TaskCommand.Peer(scaling.attempt(subtask), participants.address(subtask)));
            await(scaling.attempt(subtask), "started");
        }
        TaskCommand command =
                new TaskCommand.StartStep(scaling.id, moves, peers, watermarkOfReceivers);
        for (int subtask : all) {
            send(subtask, command);
        }
        context.alignWatermarksOfOthers(moves, watermarkOfReceivers);
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.StepStarted
                && ((TaskReport.StepStarted) report).step == moves.step()) {
            got(task, "started");
        } else if (report instanceof TaskReport.StepCompleted
                || report instanceof TaskReport.DataCompleted) {
            completedEarly.add(new Early(task, report));
        }
    }

    @Override
    void done() {
        LOG.debug("Rescale {}: {} has been started", scaling.name, moves);
        then.accept(completedEarly);
    }

    /** What a task has reported before all had heard of the step. */
    public static final class Early {
        public final AttemptId task;
        public final TaskReport report;

        Early(AttemptId task, TaskReport report) {
            this.task = task;
            this.report = report;
        }
    }
}
