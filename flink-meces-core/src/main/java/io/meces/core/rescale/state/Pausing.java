// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.CheckpointPace;

/** Between two steps: the checkpoint that waits runs to its end. */
public final class Pausing extends QuietState<Pausing.Context> {

    /** What this state may do. */
    public interface Context extends QuietState.Context {

        /** The checkpoint has ended. */
        void onPaused();
    }

    public Pausing(Context context, CheckpointPace pace) {
        super(context, RescaleState.PAUSING, pace);
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    public void enter() {
        pause();
        // Not all that come: where one is due as soon as the last is complete there is no end.
        // The coordinator says how it ended; here it only matters that it has.
        context.checkpoints().letOnePass();
        within(POLL, this::poll);
    }

    private void poll() {
        if (isQuiet()) {
            context.onPaused();
        } else if (scaling.isEnding()) {
            // a source that has ended may never have heard of the checkpoint
            context.giveUp(scaling.end());
        } else {
            awaitQuiet(this::poll);
        }
    }
}
