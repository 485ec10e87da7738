// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleStatus;
import io.meces.core.job.RescaleTarget;
import java.util.List;

/** A vertex goes to its goal. Owned by the JobMaster's main thread. */
final class Forward extends MovingPhase {

    Forward(Context rescale, List<RescaleTarget> targets, int index) {
        super(rescale, targets, index, targets.get(index).goal());
    }

    @Override
    RescaleStatus status() {
        return RescaleStatus.RUNNING;
    }

    private boolean isLast() {
        return index == targets.size() - 1;
    }

    @Override
    public void onFinished() {
        if (rescale.intent().rollsBack()) {
            rescale.backward(index);
        } else if (rescale.intent().stops() && !isLast()) {
            endAsIntended();
        } else {
            rescale.forward(index + 1);
        }
    }

    @Override
    public void onGivenUp(String reason) {
        if (rescale.intent().rollsBack()) {
            rescale.backward(index);
        } else if (rescale.intent().stops()) {
            endAsIntended();
        } else {
            rescale.end(RescaleStatus.FAILED, reason);
        }
    }

    @Override
    public void onNewSubtaskFailed(String reason) {
        if (rescale.intent().reachesGoal()) {
            rescale.onUndone(part);
            rescale.retry(reason);
        } else {
            onGivenUp(reason);
        }
    }

    @Override
    void onFailure(String reason) {
        part.abandon();
        rescale.onUndone(part);
        if (rescale.intent().reachesGoal()) {
            rescale.recover(reason);
        } else {
            endByFailure(reason);
        }
    }

    @Override
    String abort(AbortMode mode) {
        if (mode == AbortMode.ROLLBACK) {
            rescale.setIntent(RescaleIntent.ROLL_BACK);
            part.stop(RescaleIntent.ROLL_BACK.reason());
            return null;
        }
        RescaleIntent stop = RescaleIntent.stop("aborted by request");
        if (!part.canStop() && isLast()) {
            return "cannot be stopped any more: all key-groups have moved. Ask for mode=rollback to"
                    + " have them move back.";
        }
        // first: the part may end within the call
        rescale.setIntent(stop);
        part.stop(stop.reason());
        return null;
    }
}
