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

import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Scale-out: upstreams and consumers open channels to the new subtasks. */
final class Connecting extends ReportStation {

    private final Runnable then;

    Connecting(VertexRescale rescale, Runnable then) {
        super(rescale);
        this.then = then;
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        // barriers of one that was aborted may still be on their way to the consumers
        way.vertex.joinAfter(context.checkpoints().lastPassed());
        context.publishPartitions(way.vertex, way.from, way.to);
        awaitConsumers(true, way.from, way.to);
        sendUpstream(
                new TaskCommand.Connect(way.id, way.vertex.inputs(), way.from, way.to),
                "connected");
        maybeDone();
    }

    @Override
    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.Connected) {
            got(task, "connected");
        } else if (report instanceof TaskReport.ChannelChanged) {
            got(task, (TaskReport.ChannelChanged) report);
        }
    }

    @Override
    void done() {
        way.vertex.connectUpTo(way.to);
        then.run();
    }
}
