// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleStatus;
import java.time.Duration;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A failure has interrupted a rescale, which goes on when the job runs again. Owned by the
 * JobMaster's main thread.
 */
final class Recovering extends RescalePhase {

    private static final Logger LOG = LoggerFactory.getLogger(Recovering.class);
    private static final Duration POLL = Duration.ofMillis(50);

    private final Context rescale;
    private final String reason;
    private final Duration pause;

    /** What it may do with the rescale that it is a phase of. */
    interface Context {

        boolean isIn(RescalePhase phase);

        void schedule(Runnable action, Duration delay);

        /** The job has ended, or tasks have finished that will not run again. */
        boolean isJobEnding();

        boolean isJobReady();

        void goOn();

        /** What is to be stored of it has changed. */
        void onChanged();

        void setIntent(RescaleIntent intent);

        void end(RescaleStatus outcome, @Nullable String reason);
    }

    /**
     * @param pause before which it does not go on, though the job may run
     */
    Recovering(Context rescale, String reason, Duration pause) {
        this.rescale = rescale;
        this.reason = reason;
        this.pause = pause;
    }

    @Override
    void enter() {
        rescale.onChanged();
        rescale.schedule(this::poll, pause.isZero() ? POLL : pause);
    }

    private void poll() {
        if (!rescale.isIn(this)) {
            return;
        }
        if (rescale.isJobEnding()) {
            rescale.end(RescaleStatus.FAILED, reason);
        } else if (rescale.isJobReady()) {
            rescale.goOn();
        } else {
            rescale.schedule(this::poll, POLL);
        }
    }

    @Override
    RescaleStatus status() {
        return RescaleStatus.RECOVERING;
    }

    @Override
    void onFailure(String again) {
        LOG.debug("A rescale still waits for the job to run: {}", again);
    }

    @Override
    @Nullable
    String abort(AbortMode mode) {
        if (mode == AbortMode.ROLLBACK) {
            rescale.setIntent(RescaleIntent.ROLL_BACK);
        } else {
            endEarly("aborted by request");
        }
        return null;
    }

    @Override
    void endEarly(String why) {
        rescale.end(RescaleStatus.ABORTED, why);
    }
}
