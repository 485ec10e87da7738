// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import java.time.Duration;

/** When to try again what has failed: each time after twice as long. Owned by one thread. */
final class RetryTimes {

    private final Duration first;
    private final Duration longest;
    private Duration pause = Duration.ZERO;
    private long failedNanos;

    RetryTimes(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
    }

    void failed(long nowNanos) {
        failedNanos = nowNanos;
        Duration doubled = pause.isZero() ? first : pause.multipliedBy(2);
        pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    void reset() {
        pause = Duration.ZERO;
    }

    /** How long to wait; zero or less: it may be tried now. */
    Duration left(long nowNanos) {
        return pause.isZero() ? pause : pause.minusNanos(nowNanos - failedNanos);
    }

    boolean isDue(long nowNanos) {
        Duration left = left(nowNanos);
        return left.isZero() || left.isNegative();
    }
}
