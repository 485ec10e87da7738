// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.checkpoint.RunningCheckpoint;
import java.time.Duration;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints are held back, and those on their way complete. If the job would be restored with
 * records in flight, as of an unaligned checkpoint, which is possible under the assignment of
 * before alone, another one follows, which is aligned.
 */
public final class Quiescing extends QuietState<Quiescing.Context> {

    private static final Logger LOG = LoggerFactory.getLogger(Quiescing.class);
    static final int ATTEMPTS = 10;
    static final Duration PATIENCE = Duration.ofMillis(200);

    private final Runnable then;

    /** Aligned checkpoints that have been asked for. */
    private int attempts;

    /** What this state may do. */
    public interface Context extends QuietState.Context {

        /** Why it is to end before it goes on; null: it is not, or cannot any more. */
        @Nullable
        String stopReason();
    }

    public Quiescing(Context context, CheckpointPace pace, Runnable then) {
        super(context, RescaleState.QUIESCING, pace);
        this.then = then;
    }

    @Override
    public void enter() {
        context.checkpoints().hold();
        pause();
        if (scaling.settings.runningCheckpoint() == RunningCheckpoint.ABORT
                && !context.checkpoints().isQuiet()) {
            context.checkpoints().abortRunning();
        }
        poll();
    }

    private void poll() {
        if (!givesUp()) {
            if (isQuiet()) {
                after(context.checkpoints().restoresNothingInFlight(), this::onQuiet);
            } else {
                awaitQuiet(this::poll);
            }
        }
    }

    private boolean givesUp() {
        String stop = scaling.isEnding() ? scaling.end() : context.stopReason();
        if (stop != null) {
            context.giveUp(stop);
        }
        return stop != null;
    }

    private void onQuiet(@Nullable Boolean nothingInFlight, @Nullable Throwable failure) {
        if (failure != null) {
            context.giveUp("it is not known from what the job would be restored: " + failure);
        } else if (nothingInFlight) {
            then.run();
        } else if (scaling.tasks.endOfCheckpoints() != null) {
            context.giveUp(
                    scaling.tasks.endOfCheckpoints()
                            + ", and without one that is aligned the job could not be restored at"
                            + " another parallelism");
        } else if (attempts++ < ATTEMPTS) {
            LOG.info("Rescale {}: an aligned checkpoint comes first.", scaling.name);
            AwaitedCheckpoint awaited = new AwaitedCheckpoint();
            awaited.poll();
            after(context.checkpoints().letOnePass(), awaited::onEnded);
        } else {
            context.giveUp(
                    "the job takes unaligned checkpoints, and no aligned one has completed, from"
                            + " which it could be restored at another parallelism");
        }
    }

    /** An aligned one, which is not aborted however long it takes. */
    private final class AwaitedCheckpoint {

        private boolean ended;

        private void onEnded(@Nullable Long checkpoint, @Nullable Throwable failure) {
            ended = true;
            if (failure == null) {
                Quiescing.this.poll();
            } else {
                LOG.info("The aligned checkpoint before a rescale failed, again:", failure);
                within(PATIENCE, Quiescing.this::poll);
            }
        }

        private void poll() {
            if (!ended && !givesUp()) {
                within(POLL, this::poll);
            }
        }
    }
}
