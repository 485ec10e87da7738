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
import javax.annotation.Nullable;

/** Scale-in: the operators of the subtasks that leave end. */
final class Draining extends ReportState<Draining.Context> {

    /** What this state may do. */
    interface Context extends State.Context {

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

    Draining(Context context) {
        super(context, RescaleState.DRAINING);
    }

    @Override
    void enter() {
        if (scaling.isJobEnding()) {
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
        scaling.leavingSubtasks().stream()
                .forEach(k -> send(k, new TaskCommand.EndInput(scaling.id)));
    }

    @Override
    void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.InputEnded) {
            got(task, "ended");
        }
    }

    @Override
    void done() {
        context.onDrained();
    }
}
