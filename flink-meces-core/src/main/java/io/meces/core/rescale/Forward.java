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
            rescale.recover(reason);
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
        if (!part.stop(stop.reason()) && isLast()) {
            return "cannot be stopped any more: all key-groups have moved. Ask for mode=rollback to"
                    + " have them move back.";
        }
        rescale.setIntent(stop);
        return null;
    }
}
