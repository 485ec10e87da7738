// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayedActionsTest {

    private final ScheduledThreadPoolExecutor mainThread = new ScheduledThreadPoolExecutor(1);
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final DelayedActions actions =
            new DelayedActions(
                    (action, delay) -> mainThread.schedule(action, delay, TimeUnit.NANOSECONDS),
                    failure::complete);

    @AfterEach
    void stop() {
        mainThread.shutdownNow();
    }

    @Test
    void whatAnActionThrowsIsNotLost() throws Exception {
        IllegalStateException unforeseen = new IllegalStateException("a test");
        actions.schedule(
                () -> {
                    throw unforeseen;
                },
                Duration.ofMillis(1));

        assertThat(failure.get(10, TimeUnit.SECONDS)).hasCause(unforeseen);
    }

    @Test
    void theTimerKeepsNothingOfAJobThatHasEnded() throws Exception {
        ReferenceQueue<Object> gone = new ReferenceQueue<>();
        WeakReference<Object> job = scheduleForAJob(gone);
        actions.end();
        assertThat(mainThread.getQueue()).hasSize(1);
        while (gone.remove(100) == null) {
            System.gc();
        }
        assertThat(job.get()).isNull();
    }

    /** In a frame of its own, so that nothing else holds it. */
    private WeakReference<Object> scheduleForAJob(ReferenceQueue<Object> gone) {
        Object job = new Object();
        actions.schedule(job::notifyAll, Duration.ofDays(1));
        return new WeakReference<>(job, gone);
    }

    @Test
    void nothingIsDoneForAJobThatHasEnded() throws Exception {
        CompletableFuture<Void> before = new CompletableFuture<>();
        CompletableFuture<Void> after = new CompletableFuture<>();
        CompletableFuture<Void> free = new CompletableFuture<>();
        mainThread.execute(free::join);
        actions.schedule(() -> before.complete(null), Duration.ZERO);
        actions.end();
        actions.schedule(() -> after.complete(null), Duration.ZERO);
        free.complete(null);
        mainThread.submit(() -> {}).get(10, TimeUnit.SECONDS);
        assertThat(before).isNotDone();
        assertThat(after).isNotDone();
        assertThat(mainThread.getQueue()).isEmpty();
    }
}
