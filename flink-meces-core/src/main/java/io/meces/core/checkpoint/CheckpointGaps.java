// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

/** The longest time without a completed checkpoint. Thread-safe; times are of one clock, in ns. */
final class CheckpointGaps {

    private long lastNanos;
    private long longestNanos;

    CheckpointGaps(long nowNanos) {
        lastNanos = nowNanos;
    }

    synchronized void onCompleted(long nowNanos) {
        longestNanos = Math.max(longestNanos, nowNanos - lastNanos);
        lastNanos = nowNanos;
    }

    /** Forgets all gaps but that which has not ended. */
    synchronized void forget() {
        longestNanos = 0;
    }

    synchronized long longest(long nowNanos) {
        return Math.max(longestNanos, nowNanos - lastNanos);
    }
}
