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

/** Scale-in: the subtasks that leave end. */
final class Cancelling extends State<Cancelling.Context> {

    /** What this state may do. */
    interface Context extends State.Context {

        CompletableFuture<?> cancelLeaving();

        void onCancelled();
    }

    Cancelling(Context context) {
        super(context, RescaleState.CANCELLING);
    }

    @Override
    void enter() {
        failAfterStepTimeout();
        after(
                context.cancelLeaving(),
                (ok, failure) -> {
                    if (failure != null) {
                        context.failJob(failure);
                    } else {
                        context.onCancelled();
                    }
                });
    }
}
