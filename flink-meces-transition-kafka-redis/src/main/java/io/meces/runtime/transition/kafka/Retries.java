// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.transition.Backoff;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Attempts to use a server, with pauses between them. Thread-safe. */
final class Retries {

    /** Short against the time that a server takes to come back, long against what asking costs. */
    static final Retries DEFAULT =
            new Retries(
                    new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1)),
                    System::nanoTime,
                    TimeUnit.NANOSECONDS::sleep);

    private final Backoff backoff;
    private final LongSupplier nanoTime;
    private final Sleeper sleeper;

    /** Lets time pass. */
    @FunctionalInterface
    interface Sleeper {
        void sleep(long nanos) throws InterruptedException;
    }

    Retries(Backoff backoff, LongSupplier nanoTime, Sleeper sleeper) {
        this.backoff = backoff;
        this.nanoTime = nanoTime;
        this.sleeper = sleeper;
    }

    /** Waits before the next attempt. */
    void pause(int failures) throws InterruptedException {
        sleeper.sleep(backoff.pauseNanos(failures));
    }

    /**
     * Tries until it succeeds, fails in a way that time does not heal, or time is over.
     *
     * @param deadlineNanos no attempt is begun after it, but one in any case
     * @param transientFailure whether it may be better later
     * @throws Exception of the last attempt
     */
    <T> T until(long deadlineNanos, Predicate<Exception> transientFailure, Callable<T> attempt)
            throws Exception {
        for (int failures = 1; ; failures++) {
            try {
                return attempt.call();
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                long pause = backoff.pauseNanos(failures);
                if (!transientFailure.test(e) || nanoTime.getAsLong() + pause > deadlineNanos) {
                    throw e;
                }
                sleeper.sleep(pause);
            }
        }
    }
}
