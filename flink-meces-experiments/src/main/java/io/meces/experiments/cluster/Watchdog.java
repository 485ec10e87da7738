// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

import io.meces.examples.keycount.EpochMicros;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends waits early when there is nothing left to wait for: a thread has failed, a process has died
 * or the job is not running. Thread-safe.
 */
public final class Watchdog {
    private static final long CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

    private final Supplier<List<String>> ended;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    @Nullable private FlinkClient client;
    @Nullable private String jobId;
    private long lastCheckNanos = System.nanoTime();

    /** A watchdog for some processes. */
    public Watchdog(ProcessGroup processes) {
        this.ended = processes::ended;
    }

    /** A watchdog without processes: those that there are belong to others. */
    public Watchdog() {
        this.ended = Collections::emptyList;
    }

    /** Also watches a job from now on. */
    public synchronized void watch(FlinkClient jobManager, String job) {
        client = jobManager;
        jobId = job;
    }

    /** Does not watch the job any longer. */
    public synchronized void unwatch() {
        client = null;
        jobId = null;
    }

    /** Reports a failure of another thread. The first one counts. */
    public void fail(Throwable cause) {
        failure.completeExceptionally(cause);
    }

    /**
     * Waits for a time.
     *
     * @throws IOException at once when something has failed
     */
    public void pause(Duration time) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        long left = time.toNanos();
        while (left > 0) {
            awaitFailure(Math.min(left, CHECK_INTERVAL_NANOS));
            check();
            left = deadline - System.nanoTime();
        }
    }

    /**
     * Waits until a time in µs since the epoch; not at all if it has passed.
     *
     * @throws IOException at once when something has failed
     */
    public void pauseUntil(long micros) throws IOException, InterruptedException {
        pause(Duration.ofMillis(Math.max(0, (micros - EpochMicros.now()) / 1_000L)));
    }

    /** Something to wait for. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /**
     * Waits until a condition holds.
     *
     * @param what the condition is, for the error
     * @param interval how often to look
     * @throws TimeoutException if it does not after the time
     * @throws IOException at once when something has failed
     */
    public void await(String what, Condition condition, Duration interval, Duration timeout)
            throws IOException, InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new TimeoutException(
                        "Waited " + timeout.getSeconds() + " s in vain for " + what + ".");
            }
            pause(interval);
        }
    }

    /**
     * Looks whether all is well, once a second at most.
     *
     * @throws IOException if something has failed
     */
    public synchronized void check() throws IOException, InterruptedException {
        long now = System.nanoTime();
        if (now - lastCheckNanos < CHECK_INTERVAL_NANOS) {
            return;
        }
        lastCheckNanos = now;
        awaitFailure(0);
        List<String> gone = ended.get();
        if (!gone.isEmpty()) {
            throw new IOException("Ended unexpectedly: " + String.join(", ", gone) + ".");
        }
        if (client != null) {
            String state = client.job(jobId).path("state").asText();
            if ("FAILED".equals(state) || "CANCELED".equals(state) || "FINISHED".equals(state)) {
                throw new IOException("The job is " + state + "; see the JobManager's log.");
            }
        }
    }

    private void awaitFailure(long nanos) throws IOException, InterruptedException {
        try {
            failure.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException("The run cannot go on: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            LOG.trace("Nothing has failed.", e);
        }
    }
}
