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
import java.util.stream.Collectors;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Scale-in: the operators of the subtasks that leave end. */
final class Draining extends ReportState {

    private final Runnable then;

    Draining(VertexRescale rescale, Runnable then) {
        super(rescale, RescaleState.DRAINING);
        this.then = then;
    }

    @Override
    void enter() {
        if (way.isJobEnding()) {
            rescale.stay();
            return;
        }
        String obstacle = way.whyNoneCanLeave();
        if (obstacle != null) {
            rescale.stay(obstacle);
            return;
        }
        failAfterStepTimeout();
        way.vertex.endInputOf(
                way.leavingSubtasks().stream().mapToObj(way::attempt).collect(Collectors.toSet()));
        way.leavingSubtasks().stream().forEach(k -> await(way.attempt(k), "ended"));
        way.leavingSubtasks().stream().forEach(k -> send(k, new TaskCommand.EndInput(way.id)));
    }

    @Override
    void onReport(ExecutionAttemptID task, TaskReport report) {
        if (report instanceof TaskReport.InputEnded) {
            got(task, "ended");
        }
    }

    @Override
    void done() {
        then.run();
    }
}
