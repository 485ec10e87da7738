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
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Scale-out: the new subtasks get slots and run. */
final class Deploying extends State {

    private final Runnable then;

    Deploying(VertexRescale rescale, Runnable then) {
        super(rescale, RescaleState.DEPLOYING);
        this.then = then;
    }

    @Override
    void enter() {
        way.vertex.deployUpTo(way.to);
        after(
                context.deploy(way.vertex, way.from, way.to),
                (ok, failure) -> {
                    if (failure == null) {
                        then.run();
                    }
                    // a failure is a task failure, which the scheduler handles
                });
        within(
                way.settings.slotTimeout(),
                () ->
                        rescale.undeploy(
                                "no slots for "
                                        + (way.to - way.from)
                                        + " more subtask(s) of "
                                        + way.vertex.name()
                                        + " within "
                                        + way.settings.slotTimeout().toMillis()
                                        + " ms (meces.rescale.slot-timeout). Start more"
                                        + " TaskManagers or ask for less."));
    }

    @Override
    void onFinished(ExecutionAttemptID task) {
        // elsewhere in the job a task may end long before the rest
        if (way.isJobEnding()) {
            rescale.undeploy(VertexRescale.JOB_IS_ENDING);
        }
    }
}
