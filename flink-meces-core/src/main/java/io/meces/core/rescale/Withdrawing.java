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

/**
 * Scale-out that is given up while new subtasks are being connected: they say good-bye to their
 * consumers. Nothing has been sent through the channels but watermarks.
 */
final class Withdrawing extends ReportState<State.Context> {

    private final Runnable then;

    Withdrawing(State.Context context, Runnable then) {
        super(context, RescaleState.WITHDRAWING);
        this.then = then;
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        awaitConsumers(false, scaling.from, scaling.to);
        scaling.newSubtasks().stream().forEach(k -> await(scaling.attempt(k), "retired"));
        scaling.newSubtasks().stream().forEach(k -> send(k, new TaskCommand.Retire(scaling.id)));
        maybeDone();
    }

    @Override
    void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Retired) {
            got(task, "retired");
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        } else if (report instanceof TaskReport.NotConnected) {
            // it will not hear of its end either
            got(task, subject(false, ((TaskReport.NotConnected) report).channel));
        }
    }

    @Override
    void done() {
        then.run();
    }
}
