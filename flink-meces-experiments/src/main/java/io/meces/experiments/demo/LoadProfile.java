// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

/**
 * A load that is low, rises, is high, falls, and is low again. Each takes its part of the time, as
 * the constants say. An immutable value.
 */
final class LoadProfile {
    private static final double RISES = 0.2;
    private static final double IS_HIGH = 0.35;
    private static final double FALLS = 0.6;
    private static final double IS_LOW = 0.7;

    private final int low;
    private final int high;
    private final int seconds;

    /**
     * @param low records per second
     * @param high records per second
     * @param seconds how long all of it takes
     */
    LoadProfile(int low, int high, int seconds) {
        this.low = low;
        this.high = high;
        this.seconds = seconds;
    }

    /** Records per second, at a time in seconds since the start. */
    double at(double second) {
        double part = second / seconds;
        double share =
                part < IS_HIGH
                        ? (part - RISES) / (IS_HIGH - RISES)
                        : (IS_LOW - part) / (IS_LOW - FALLS);
        return low + (high - low) * Math.max(0, Math.min(1, share));
    }
}
