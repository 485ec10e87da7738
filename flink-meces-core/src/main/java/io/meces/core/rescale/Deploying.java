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
import io.meces.core.id.AttemptId;
import java.util.concurrent.CompletableFuture;

/** Scale-out: the new subtasks get slots and run. */
final class Deploying extends State<Deploying.Context> {

    /** What this state may do. */
    interface Context extends State.Context {

        /** Requests slots for the new subtasks and deploys them; completes when they run. */
        CompletableFuture<?> deploy();

        void onDeployed();

        /** Ends the new subtasks, and so the rescale: the job has not noticed anything. */
        void undeploy(String reason);
    }

    Deploying(Context context) {
        super(context, RescaleState.DEPLOYING);
    }

    @Override
    void enter() {
        after(
                context.deploy(),
                (ok, failure) -> {
                    if (failure == null) {
                        context.onDeployed();
                    }
                    // a failure is a task failure, which the scheduler handles
                });
        within(
                scaling.settings.slotTimeout(),
                () ->
                        context.undeploy(
                                "no slots for "
                                        + (scaling.to - scaling.from)
                                        + " more subtask(s) of "
                                        + scaling.vertex.name()
                                        + " within "
                                        + scaling.settings.slotTimeout().toMillis()
                                        + " ms (meces.rescale.slot-timeout). Start more"
                                        + " TaskManagers or ask for less."));
    }

    @Override
    void onFinished(AttemptId task) {
        // elsewhere in the job a task may end long before the rest
        if (scaling.isJobEnding()) {
            context.undeploy(VertexRescale.JOB_IS_ENDING);
        }
    }
}
