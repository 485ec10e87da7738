// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * How long to wait between attempts to reach a peer or a server: twice as long after each failure,
 * up to a limit, and by chance up to half of it less, so that those who have lost the same server
 * do not come back all at once. Immutable; thread-safe.
 */
public final class Backoff {

    private final long firstNanos;
    private final long longestNanos;
    private final DoubleSupplier random;

    /** With pauses from the first to the longest one. */
    public Backoff(Duration first, Duration longest) {
        this(first, longest, () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * @param random from 0 to below 1; safe to call from any thread
     */
    public Backoff(Duration first, Duration longest, DoubleSupplier random) {
        this.firstNanos = first.toNanos();
        this.longestNanos = longest.toNanos();
        this.random = random;
    }

    /** The pause before the next attempt, after so many failures in a row; 0 after none. */
    public long pauseNanos(int failures) {
        if (failures <= 0) {
            return 0;
        }
        long pause = firstNanos;
        for (int i = 1; i < failures && pause < longestNanos; i++) {
            pause *= 2;
        }
        return (long) (Math.min(pause, longestNanos) * (1 - random.getAsDouble() / 2));
    }

    /** No pause is longer. */
    public Duration longest() {
        return Duration.ofNanos(longestNanos);
    }
}
