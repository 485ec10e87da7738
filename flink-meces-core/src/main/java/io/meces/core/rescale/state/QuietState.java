// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.checkpoint.RunningCheckpoint;

/**
 * A state in which the end of checkpoints is awaited that have barriers on their way. Owned by the
 * JobMaster's main thread.
 */
abstract class QuietState<C extends QuietState.Context> extends State<C> {

    private final CheckpointPace pace;
    private boolean aborted;
    private int standingAbortsBefore;

    /** What this state may do. */
    interface Context extends State.Context {

        CheckpointControl checkpoints();

        /** At a step's boundary: what has moved has moved, the rest stays. */
        void giveUp(String reason);
    }

    QuietState(C context, RescaleState shown, CheckpointPace pace) {
        super(context, shown);
        this.pace = pace;
    }

    /** From now on the rescale waits for checkpoints. */
    final void pause() {
        standingAbortsBefore = context.checkpoints().standingAborts();
        pace.pause(scaling.nanoTime());
    }

    /** Whether none has barriers on their way; the rescale then goes on. */
    final boolean isQuiet() {
        if (!context.checkpoints().isQuiet()) {
            return false;
        }
        if (context.checkpoints().standingAborts() != standingAbortsBefore) {
            // the next one would stand behind the same backlog
            pace.slowDown();
        }
        pace.resume(scaling.nanoTime());
        return true;
    }

    /** Asks again soon. */
    final void awaitQuiet(Runnable poll) {
        if (scaling.settings.runningCheckpoint() == RunningCheckpoint.AUTO) {
            context.checkpoints().abortStanding();
        }
        // a task that has finished may not have heard of the checkpoint that is on its way
        if (!aborted && scaling.tasks.endOfCheckpoints() != null) {
            aborted = true;
            context.checkpoints().abortRunning();
        }
        within(POLL, poll);
    }
}
