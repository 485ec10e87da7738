// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.EventTime;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.job.Participants;
import io.meces.core.plan.Move;
import java.util.Set;
import java.util.TreeSet;

/** Donors and receivers get ready, and tell watermark and address. */
public final class Beginning extends ReportState<Beginning.Context> {

    private final Participants participants;
    private final long lastCheckpoint;

    /** What this state may do. */
    public interface Context extends State.Context {

        /** A subtask has told how far it is in event time. */
        void onEventTime(AttemptId task, EventTime time);

        void onBegun();

        /** At a step's boundary: what has moved has moved, the rest stays. */
        void giveUp(String reason);
    }

    private final Set<Integer> receivers = new TreeSet<>();

    /**
     * @param lastCheckpoint the last one that has been begun; none is on its way
     */
    public Beginning(Context context, Participants participants, long lastCheckpoint) {
        super(context, RescaleState.BEGINNING);
        this.participants = participants;
        this.lastCheckpoint = lastCheckpoint;
    }

    @Override
    public void enter() {
        afterStepTimeout(context::giveUp);
        Set<Integer> all = new TreeSet<>();
        for (Move move : scaling.plan.moves()) {
            all.add(move.from());
            receivers.add(move.to());
        }
        all.addAll(receivers);
        if (scaling.handsOverBroadcastState()) {
            all.add(VertexScaling.BROADCAST_DONOR);
            scaling.newSubtasks().stream().forEach(all::add);
        }
        for (int subtask : all) {
            participants.add(subtask, scaling.attempt(subtask));
            await(scaling.attempt(subtask), "begun");
        }
        boolean single = scaling.hasSingleUpstream();
        TaskCommand receive = new TaskCommand.Begin(scaling.id, true, single, lastCheckpoint);
        TaskCommand give = new TaskCommand.Begin(scaling.id, false, single, lastCheckpoint);
        for (int subtask : all) {
            send(subtask, receivers.contains(subtask) ? receive : give);
        }
        maybeDone();
    }

    @Override
    public void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Begun) {
            Integer subtask = participants.subtask(task);
            if (subtask != null) {
                participants.onBegun(subtask, ((TaskReport.Begun) report).address);
            }
            context.onEventTime(task, ((TaskReport.Begun) report).time);
            got(task, "begun");
        }
    }

    @Override
    public void onFinished(AttemptId task) {
        boolean ends = scaling.isEnding();
        for (int i = 0; i < scaling.vertex.deployed(); i++) {
            ends |= scaling.attempt(i).equals(task);
        }
        if (ends) {
            context.giveUp(scaling.end());
        }
    }

    @Override
    void done() {
        participants.onAllBegun(receivers);
        context.onBegun();
    }
}
