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

/** The new subtasks are not to be: they end, and the job has not noticed anything. */
final class Undeploying extends State<Undeploying.Context> {

    private final Runnable then;

    /** What this state may do. */
    interface Context extends State.Context {

        CompletableFuture<?> cancelNew();
    }

    Undeploying(Context context, Runnable then) {
        super(context, RescaleState.UNDEPLOYING);
        this.then = then;
    }

    @Override
    void enter() {
        after(
                context.cancelNew(),
                (ok, failure) -> {
                    if (failure != null) {
                        context.failJob(failure);
                    } else {
                        then.run();
                    }
                });
    }
}
