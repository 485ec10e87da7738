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
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Scale-out: upstreams and consumers open channels to the new subtasks. */
final class Connecting extends ReportState {

    private static final String CONNECTED = "connected";

    private final Runnable then;

    Connecting(VertexRescale rescale, Runnable then) {
        super(rescale, RescaleState.CONNECTING);
        this.then = then;
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    void enter() {
        afterStepTimeout(rescale::withdraw);
        // barriers of one that was aborted may still be on their way to the consumers
        way.vertex.joinAfter(context.checkpoints().lastPassed());
        context.publishPartitions(way.vertex, way.from, way.to);
        awaitConsumers(true, way.from, way.to);
        sendUpstream(
                new TaskCommand.Connect(way.id, way.vertex.inputs(), way.from, way.to), CONNECTED);
        maybeDone();
    }

    @Override
    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.Connected) {
            got(task, CONNECTED);
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        } else if (report instanceof TaskReport.ConnectFailed) {
            rescale.withdraw(
                    "new subtasks of "
                            + way.vertex.name()
                            + " cannot be connected with "
                            + ((TaskReport.ConnectFailed) report).reason);
        } else if (report instanceof TaskReport.NotConnected) {
            TaskReport.NotConnected failed = (TaskReport.NotConnected) report;
            rescale.withdraw(
                    "new subtask "
                            + failed.channel
                            + " of "
                            + way.vertex.name()
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
    void onFinished(ExecutionAttemptID task) {
        if (isAwaited(task, CONNECTED)) {
            rescale.withdraw(VertexRescale.JOB_IS_ENDING);
        } else {
            super.onFinished(task);
        }
    }

    @Override
    void done() {
        way.vertex.connectUpTo(way.to);
        then.run();
    }
}
