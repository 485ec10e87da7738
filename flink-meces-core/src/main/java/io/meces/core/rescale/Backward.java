// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleStatus;
import io.meces.core.job.RescaleTarget;
import java.util.List;

/**
 * A vertex that has been rescaled goes back to where it came from, by request. Owned by the
 * JobMaster's main thread.
 */
final class Backward extends MovingPhase {

    static final String NOT_ROLLED_BACK = "not rolled back: ";

    Backward(Context rescale, List<RescaleTarget> targets, int index) {
        super(rescale, targets, index, targets.get(index).origin());
    }

    @Override
    RescaleStatus status() {
        return RescaleStatus.ROLLING_BACK;
    }

    @Override
    public void onFinished() {
        if (rescale.intent().stops() && index > 0) {
            endAsIntended();
        } else {
            rescale.backward(index - 1);
        }
    }

    @Override
    public void onGivenUp(String reason) {
        if (rescale.intent().stops()) {
            endAsIntended();
        } else {
            rescale.end(RescaleStatus.FAILED, NOT_ROLLED_BACK + reason);
        }
    }

    @Override
    public void onNewSubtaskFailed(String reason) {
        if (rescale.intent().rollsBack()) {
            rescale.onUndone(part);
            rescale.retry(reason);
        } else {
            onGivenUp(reason);
        }
    }

    @Override
    void onFailure(String reason) {
        part.abandon();
        endByFailure(reason);
    }

    @Override
    String abort(AbortMode mode) {
        if (mode == AbortMode.ROLLBACK) {
            return "is being rolled back already.";
        }
        RescaleIntent stop = RescaleIntent.stop("rollback aborted by request");
        if (!part.canStop() && index == 0) {
            return "cannot be stopped any more: all key-groups have moved back.";
        }
        // first: the part may end within the call
        rescale.setIntent(stop);
        part.stop(stop.reason());
        return null;
    }
}
