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

/** Scale-out: upstreams and consumers open channels to the new subtasks. */
final class Connecting extends ReportState<Connecting.Context> {

    private static final String CONNECTED = "connected";

    /** What this state may do. */
    interface Context extends State.Context {

        /** Tells the consumers where the new subtasks are. */
        void publishNewSubtasks();

        void onConnected();

        /** New subtasks go again; nothing has moved. */
        void withdraw(String reason);

        /**
         * As {@link #withdraw(String)}.
         *
         * @param consumer a task that cannot open its channel to a new subtask
         */
        void withdraw(String reason, TaskReport.NotConnected report, AttemptId consumer);
    }

    Connecting(Context context) {
        super(context, RescaleState.CONNECTING);
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    void enter() {
        afterStepTimeout(context::withdraw);
        context.publishNewSubtasks();
        awaitConsumers(true, scaling.from, scaling.to);
        sendUpstream(
                new TaskCommand.Connect(
                        scaling.id, scaling.vertex.inputs(), scaling.from, scaling.to),
                CONNECTED);
        maybeDone();
    }

    @Override
    void onReport(AttemptId task, TaskReport report) {
        if (report instanceof TaskReport.Connected) {
            got(task, CONNECTED);
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        } else if (report instanceof TaskReport.ConnectFailed) {
            context.withdraw(
                    "new subtasks of "
                            + scaling.vertex.name()
                            + " cannot be connected with "
                            + ((TaskReport.ConnectFailed) report).reason);
        } else if (report instanceof TaskReport.NotConnected) {
            TaskReport.NotConnected failed = (TaskReport.NotConnected) report;
            context.withdraw(
                    "new subtask "
                            + failed.channel
                            + " of "
                            + scaling.vertex.name()
                            + " cannot be connected with "
                            + failed.reason,
                    failed,
                    task);
        }
    }

    /**
     * An upstream that has finished before it opened its channels never will: new subtasks would
     * wait for its end.
     */
    @Override
    void onFinished(AttemptId task) {
        if (isAwaited(task, CONNECTED)) {
            context.withdraw(VertexRescale.JOB_IS_ENDING);
        } else {
            super.onFinished(task);
        }
    }

    @Override
    void done() {
        context.onConnected();
    }
}
