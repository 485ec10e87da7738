// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleStatus;
import javax.annotation.Nullable;

/** A rescale has ended. Immutable. */
final class RescaleOutcome extends RescalePhase {

    private final RescaleStatus outcome;
    @Nullable final String reason;
    final long nanos;
    final long longestGapNanos;

    /**
     * @param nanos when that was
     * @param longestGapNanos the longest time without a completed checkpoint till then
     */
    RescaleOutcome(
            RescaleStatus outcome, @Nullable String reason, long nanos, long longestGapNanos) {
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
        return refusal(outcome);
    }

    /** Why one that has ended so cannot be aborted. */
    static String refusal(RescaleStatus outcome) {
        return "has ended already: it is " + outcome + ".";
    }

    @Override
    void endEarly(String why) {
        // it has ended
    }
}
