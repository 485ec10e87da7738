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

/** Between two steps: the checkpoint that waits runs to its end. */
final class Pausing extends QuietState<Pausing.Context> {

    /** What this state may do. */
    interface Context extends QuietState.Context {

        /** The checkpoint has ended. */
        void onPaused();
    }

    Pausing(Context context, CheckpointPace pace) {
        super(context, RescaleState.PAUSING, pace);
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    void enter() {
        pause();
        // Not all that come: where one is due as soon as the last is complete there is no end.
        // The coordinator says how it ended; here it only matters that it has.
        context.checkpoints().letOnePass();
        within(POLL, this::poll);
    }

    private void poll() {
        if (isQuiet()) {
            context.onPaused();
        } else if (scaling.isJobEnding()) {
            // a source that has ended may never have heard of the checkpoint
            context.giveUp(VertexRescale.JOB_IS_ENDING);
        } else {
            awaitQuiet(this::poll);
        }
    }
}
