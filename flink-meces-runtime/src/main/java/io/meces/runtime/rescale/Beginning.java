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

package io.meces.runtime.rescale;

import io.meces.api.RescaleState;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import io.meces.runtime.plan.Step;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Donors and receivers get ready, and tell watermark and address. */
final class Beginning extends ReportState {

    private final Participants participants;
    private final Runnable then;

    Beginning(VertexRescale rescale, Participants participants, Runnable then) {
        super(rescale, RescaleState.BEGINNING);
        this.participants = participants;
        this.then = then;
    }

    @Override
    void enter() {
        afterStepTimeout(rescale::giveUp);
        Set<Integer> receivers = new TreeSet<>();
        Set<Integer> all = new TreeSet<>();
        for (Step step : way.plan.steps()) {
            all.addAll(step.donors());
            receivers.addAll(step.receivers());
        }
        all.addAll(receivers);
        if (way.handsOverBroadcastState()) {
            all.add(VertexRescale.GIVER);
            way.newSubtasks().stream().forEach(all::add);
        }
        participants.add(all);
        for (int subtask : all) {
            await(way.attempt(subtask), "begun");
        }
        for (int subtask : all) {
            send(
                    subtask,
                    new TaskCommand.Begin(
                            way.id, receivers.contains(subtask), way.hasSingleUpstream()));
        }
        maybeDone();
    }

    @Override
    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.Begun) {
            for (int i = 0; i < way.vertex.deployed(); i++) {
                if (way.attempt(i).equals(task)) {
                    participants.onBegun(i, ((TaskReport.Begun) report).address);
                }
            }
            rescale.onEventTime(task, ((TaskReport.Begun) report).time);
            got(task, "begun");
        }
    }

    @Override
    void onFinished(ExecutionAttemptID task) {
        // an upstream has nothing more for new subtasks, which would ask it in vain
        boolean ends = way.isJobEnding();
        for (int i = 0; i < way.vertex.deployed(); i++) {
            ends |= way.attempt(i).equals(task);
        }
        if (ends) {
            rescale.giveUp(VertexRescale.JOB_IS_ENDING);
        }
    }

    @Override
    void done() {
        participants.level(way.plan.steps());
        then.run();
    }
}
