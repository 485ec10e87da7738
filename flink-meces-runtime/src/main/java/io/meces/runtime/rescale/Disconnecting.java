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

/** Upstreams close the channels to subtasks that are gone. */
final class Disconnecting extends ReportStation {

    private final int first;
    private final int end;
    private final Runnable then;

    /** Of subtasks first..end-1. */
    Disconnecting(VertexRescale rescale, int first, int end, Runnable then) {
        super(rescale);
        this.first = first;
        this.end = end;
        this.then = then;
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        sendUpstream(new TaskCommand.Disconnect(way.id, way.vertex.inputs(), first, end), "gone");
        maybeDone();
    }

    @Override
    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.Disconnected) {
            got(task, "gone");
        }
    }

    @Override
    void done() {
        then.run();
    }
}
