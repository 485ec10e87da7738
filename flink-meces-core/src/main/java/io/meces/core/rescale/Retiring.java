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

/** Scale-in: the subtasks that leave say good-bye to their consumers. */
final class Retiring extends ReportState<Retiring.Context> {

    /** What this state may do. */
    interface Context extends State.Context {

        void onRetired();
    }

    Retiring(Context context) {
        super(context, RescaleState.RETIRING);
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        awaitConsumers(false, scaling.to, scaling.from);
        scaling.leavingSubtasks().stream().forEach(k -> await(scaling.attempt(k), "retired"));
        scaling.leavingSubtasks().stream()
                .forEach(k -> send(k, new TaskCommand.Retire(scaling.id)));
    }

    @Override
    void onReport(AttemptId task, TaskReport report) {
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
