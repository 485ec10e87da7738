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
import javax.annotation.Nullable;

/** Checkpoints are held back, and those on their way complete. */
final class Quiescing extends QuietState<Quiescing.Context> {

    private final Runnable then;

    /** What this state may do. */
    interface Context extends QuietState.Context {

        /** Why it is to end before it goes on; null: it is not, or cannot any more. */
        @Nullable
        String stopReason();
    }

    Quiescing(Context context, CheckpointPace pace, Runnable then) {
        super(context, RescaleState.QUIESCING, pace);
        this.then = then;
    }

    @Override
    void enter() {
        context.checkpoints().hold();
        pause();
        if (scaling.settings.runningCheckpoint() == RunningCheckpoint.ABORT
                && !context.checkpoints().isQuiet()) {
            context.checkpoints().abortRunning();
        }
        poll();
    }

    private void poll() {
        String stop = context.stopReason();
        if (scaling.isJobEnding()) {
            context.giveUp(VertexRescale.JOB_IS_ENDING);
        } else if (stop != null) {
            context.giveUp(stop);
        } else if (isQuiet()) {
            then.run();
        } else {
            awaitQuiet(this::poll);
        }
    }
}
