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

/** Checkpoints are held back, and those on their way complete. */
final class Quiescing extends State {

    private final CheckpointPace pace;
    private final Runnable then;

    Quiescing(VertexRescale rescale, CheckpointPace pace, Runnable then) {
        super(rescale, RescaleState.QUIESCING);
        this.pace = pace;
        this.then = then;
    }

    @Override
    void enter() {
        context.checkpoints().hold();
        pace.pause(context.nanoTime());
        if (way.settings.abortsCheckpoints() && !context.checkpoints().isQuiet()) {
            context.checkpoints().abortRunning();
        }
        poll();
    }

    private void poll() {
        String stop = rescale.stopReason();
        if (way.isJobEnding()) {
            rescale.giveUp(VertexRescale.JOB_IS_ENDING);
        } else if (stop != null) {
            rescale.giveUp(stop);
        } else if (context.checkpoints().isQuiet()) {
            pace.resume(context.nanoTime());
            rescale.mark("quiet");
            then.run();
        } else {
            abortIfItCannotComplete();
            within(POLL, this::poll);
        }
    }
}
