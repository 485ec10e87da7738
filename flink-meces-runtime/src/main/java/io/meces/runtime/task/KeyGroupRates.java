// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import java.util.function.IntToLongFunction;

/**
 * How often something happens to each key-group, per second, where recent times count most: what
 * was a time constant ago counts 1/e of what is now.
 *
 * <p>It begins at 0 everywhere, so rates of one key-group at several subtasks add up to what they
 * would be if it had not moved. {@link #share} says how much of the truth they have by then. Pure;
 * owned by the task thread.
 */
final class KeyGroupRates {

    private static final double TIME_CONSTANT_SECONDS = 15;

    private final long startNanos;
    private final long[] counted;
    private final double[] rates;
    private long lastNanos;

    KeyGroupRates(int keyGroups, long nowNanos) {
        this.counted = new long[keyGroups];
        this.rates = new double[keyGroups];
        this.startNanos = nowNanos;
        this.lastNanos = nowNanos;
    }

    /**
     * Takes the counts of now into account.
     *
     * @param counts by key-group, since the beginning
     */
    void sample(IntToLongFunction counts, long nowNanos) {
        double seconds = (nowNanos - lastNanos) / 1e9;
        if (seconds <= 0) {
            return;
        }
        lastNanos = nowNanos;
        double kept = Math.exp(-seconds / TIME_CONSTANT_SECONDS);
        for (int keyGroup = 0; keyGroup < rates.length; keyGroup++) {
            long count = counts.applyAsLong(keyGroup);
            double latest = (count - counted[keyGroup]) / seconds;
            counted[keyGroup] = count;
            rates[keyGroup] = kept * rates[keyGroup] + (1 - kept) * latest;
        }
    }

    double perSecond(int keyGroup) {
        return rates[keyGroup];
    }

    /** What part of an even rate it has learned so far: from 0 at its beginning to 1. */
    double share() {
        return 1 - Math.exp(-(lastNanos - startNanos) / 1e9 / TIME_CONSTANT_SECONDS);
    }
}
