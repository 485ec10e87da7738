// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Asks the same question again until the answer is good, at most a given number of times. The
 * waiting is done by the timer; questions and answers are on whatever thread the answer comes on.
 * Immutable, for any thread.
 */
final class Poll {

    private final ScheduledExecutorService timer;
    private final Duration interval;
    private final long questions;

    /**
     * A poll by a timer.
     *
     * @param interval between an answer and the next question
     * @param limit how long to wait in all, not counting what the answers take
     */
    Poll(ScheduledExecutorService timer, Duration interval, Duration limit) {
        if (interval.toMillis() < 1 || limit.compareTo(interval) < 0) {
            throw new IllegalArgumentException(
                    "Cannot poll every "
                            + interval.toMillis()
                            + " ms for "
                            + limit.toMillis()
                            + " ms: the interval must be at least 1 ms and within the limit.");
        }
        this.timer = timer;
        this.interval = interval;
        this.questions = 1 + limit.toMillis() / interval.toMillis();
    }

    /**
     * The first answer that is good. Fails as soon as a question fails, or with a {@link
     * TimeoutException} that says what was waited for and the last answer.
     */
    <T> CompletableFuture<T> until(
            String waitedFor, Supplier<CompletableFuture<T>> question, Predicate<T> good) {
        CompletableFuture<T> result = new CompletableFuture<>();
        ask(waitedFor, question, good, questions, result);
        return result;
    }

    private <T> void ask(
            String waitedFor,
            Supplier<CompletableFuture<T>> question,
            Predicate<T> good,
            long left,
            CompletableFuture<T> result) {
        if (result.isDone()) {
            // Whoever asked has cancelled or given up.
            return;
        }
        question.get()
                .whenComplete(
                        (answer, failure) -> {
                            if (failure != null) {
                                result.completeExceptionally(failure);
                            } else if (good.test(answer)) {
                                result.complete(answer);
                            } else if (left <= 1) {
                                result.completeExceptionally(
                                        new TimeoutException(
                                                "Gave up waiting for "
                                                        + waitedFor
                                                        + " after "
                                                        + questions
                                                        + " questions, one every "
                                                        + interval.toMillis()
                                                        + " ms. The last answer was: "
                                                        + answer));
                            } else {
                                timer.schedule(
                                        () -> ask(waitedFor, question, good, left - 1, result),
                                        interval.toMillis(),
                                        TimeUnit.MILLISECONDS);
                            }
                        })
                // Also what the test of the answer or a closed timer throws.
                .exceptionally(
                        failure -> {
                            result.completeExceptionally(failure);
                            return null;
                        });
    }
}
