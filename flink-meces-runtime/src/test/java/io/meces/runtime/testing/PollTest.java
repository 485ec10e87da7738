// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.junit.jupiter.api.Test;

class PollTest {

    private final ManualTimer timer = new ManualTimer();
    private final Poll poll = new Poll(timer, Duration.ofMillis(10), Duration.ofMillis(40));
    private final AtomicInteger questions = new AtomicInteger();

    @Test
    void asksUntilTheAnswerIsGood() {
        CompletableFuture<Integer> result = poll.until("three", this::count, n -> n == 3);
        assertThat(result).isNotDone();
        assertThat(timer.next()).isTrue();
        assertThat(result).isNotDone();
        assertThat(timer.next()).isTrue();
        assertThat(result).isCompletedWithValue(3);
        assertThat(timer.next()).isFalse();
    }

    @Test
    void givesUpAfterTheLimitAndSaysWhatItWaitedFor() {
        CompletableFuture<Integer> result = poll.until("a hundred", this::count, n -> n == 100);
        while (timer.next()) {
            assertThat(questions.get()).isLessThanOrEqualTo(5);
        }
        assertThatThrownBy(result::get)
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContainingAll("a hundred", "after 5 questions", "every 10 ms", "was: 5");
    }

    @Test
    void passesAFailureOn() {
        CompletableFuture<Integer> result =
                poll.until(
                        "x",
                        () -> FutureUtils.completedExceptionally(new IllegalStateException("lost")),
                        n -> true);
        assertThatThrownBy(result::get).hasRootCauseMessage("lost");
        assertThat(timer.next()).isFalse();
    }

    @Test
    void passesOnWhatTheTestOfTheAnswerThrows() {
        CompletableFuture<Integer> result =
                poll.until(
                        "x",
                        this::count,
                        n -> {
                            throw new IllegalStateException("bad test");
                        });
        assertThatThrownBy(result::get).hasRootCauseMessage("bad test");
    }

    @Test
    void stopsAskingWhenCancelled() {
        CompletableFuture<Integer> result = poll.until("never", this::count, n -> false);
        result.cancel(false);
        while (timer.next()) {
            assertThat(questions.get()).isEqualTo(1);
        }
        assertThat(questions.get()).isEqualTo(1);
    }

    @Test
    void refusesAnIntervalBeyondTheLimit() {
        assertThatThrownBy(() -> new Poll(timer, Duration.ofMillis(50), Duration.ofMillis(40)))
                .hasMessageContaining("within the limit");
        assertThatThrownBy(() -> new Poll(timer, Duration.ZERO, Duration.ofMillis(40)))
                .hasMessageContaining("at least 1 ms");
    }

    private CompletableFuture<Integer> count() {
        return CompletableFuture.completedFuture(questions.incrementAndGet());
    }
}
