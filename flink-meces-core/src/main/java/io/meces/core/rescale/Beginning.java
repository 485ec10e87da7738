/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.migration.EventTime;
import io.meces.core.plan.Step;
import java.util.Set;
import java.util.TreeSet;

/** Donors and receivers get ready, and tell watermark and address. */
final class Beginning extends ReportState<Beginning.Context> {

    private final Participants participants;

    /** What this state may do. */
    interface Context extends State.Context {

        /** A subtask has told how far it is in event time. */
        void onEventTime(AttemptId task, EventTime time);

        void onBegun();

        /** At a step's boundary: what has moved has moved, the rest stays. */
        void giveUp(String reason);
    }

    Beginning(Context context, Participants participants) {
        super(context, RescaleState.BEGINNING);
        this.participants = participants;
    }

    @Override
    void enter() {
        afterStepTimeout(context::giveUp);
        Set<Integer> receivers = new TreeSet<>();
        Set<Integer> all = new TreeSet<>();
        for (Step step : scaling.plan.steps()) {
            all.addAll(step.donors());
            receivers.addAll(step.receivers());
        }
        all.addAll(receivers);
        if (scaling.handsOverBroadcastState()) {
            all.add(VertexRescale.BROADCAST_DONOR);
            scaling.newSubtasks().stream().forEach(all::add);
        }
        participants.add(all);
        for (int subtask : all) {
            await(scaling.attempt(subtask), "begun");
        }
        for (int subtask : all) {
            send(
                    subtask,
                    new TaskCommand.Begin(
                            scaling.id, receivers.contains(subtask), scaling.hasSingleUpstream()));
        }
        maybeDone();
    }

    @Override
    void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Begun) {
            for (int i = 0; i < scaling.vertex.deployed(); i++) {
                if (scaling.attempt(i).equals(task)) {
                    participants.onBegun(i, ((TaskReport.Begun) report).address);
                }
            }
            context.onEventTime(task, ((TaskReport.Begun) report).time);
            got(task, "begun");
        }
    }

    @Override
    void onFinished(AttemptId task) {
        // an upstream has nothing more for new subtasks, which would ask it in vain
        boolean ends = scaling.isJobEnding();
        for (int i = 0; i < scaling.vertex.deployed(); i++) {
            ends |= scaling.attempt(i).equals(task);
        }
        if (ends) {
            context.giveUp(VertexRescale.JOB_IS_ENDING);
        }
    }

    @Override
    void done() {
        participants.onAllBegun(scaling.plan.steps());
        context.onBegun();
    }
}
