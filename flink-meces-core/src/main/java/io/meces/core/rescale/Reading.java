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
import java.util.concurrent.CompletableFuture;

/** Scale-in: what the subtasks that leave have of list state is read from a checkpoint. */
final class Reading extends State<Reading.Context> {

    private final long checkpoint;

    /** What this state may do. */
    interface Context extends State.Context {

        /** Of the subtasks that leave. */
        CompletableFuture<Runnable> readListState(long checkpoint);

        /**
         * @param carry has later checkpoints carry that state
         */
        void onRead(Runnable carry);

        /** All key-groups have moved, but no subtask can leave: those without key-groups stay. */
        void stay(String reason);
    }

    Reading(Context context, long checkpoint) {
        super(context, RescaleState.READING);
        this.checkpoint = checkpoint;
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        after(
                context.readListState(checkpoint),
                (carry, failure) -> {
                    if (failure != null && !context.canRestart()) {
                        context.stay("their list state cannot be handed over: " + failure);
                    } else if (failure != null) {
                        context.failJob(
                                new RescaleException(
                                        "The list state of subtasks that leave is handed"
                                                + " over by a restart of the job at the"
                                                + " new parallelism",
                                        failure));
                    } else {
                        context.onRead(carry);
                    }
                });
    }
}
