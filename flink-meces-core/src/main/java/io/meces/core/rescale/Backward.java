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

import io.meces.api.AbortMode;
import io.meces.api.RescaleStatus;
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
            rescale.recover(reason);
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
        if (!part.stop(stop.reason()) && index == 0) {
            return "cannot be stopped any more: all key-groups have moved back.";
        }
        rescale.setIntent(stop);
        return null;
    }
}
