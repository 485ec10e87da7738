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
import javax.annotation.Nullable;

/** A rescale has ended. Immutable. */
final class Ended extends RescalePhase {

    private final RescaleStatus outcome;
    @Nullable final String reason;
    final long nanos;
    final long longestGapNanos;

    /**
     * @param nanos when that was
     * @param longestGapNanos the longest time without a completed checkpoint till then
     */
    Ended(RescaleStatus outcome, @Nullable String reason, long nanos, long longestGapNanos) {
        this.outcome = outcome;
        this.reason = reason;
        this.nanos = nanos;
        this.longestGapNanos = longestGapNanos;
    }

    @Override
    void enter() {
        // nothing is to be done any more
    }

    @Override
    RescaleStatus status() {
        return outcome;
    }

    @Override
    void onFailure(String cause) {
        // it does not concern it any more
    }

    @Override
    String abort(AbortMode mode) {
        return "has ended already: it is " + outcome + ".";
    }

    @Override
    void endEarly(String why) {
        // it has ended
    }
}
