// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.state.DetachedThreads;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisException;

@Timeout(60)
class ServiceThreadTest {

    private static final long JOIN_MS = 30_000;

    private final Outages outages = new Outages();
    private final Outage outage = outages.of("Work", () -> {});

    /** What the thread meets, one after the other; then it stops. */
    private final Queue<Throwable> failures = new ArrayDeque<>();

    private final CountDownLatch done = new CountDownLatch(1);
    private final CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
    private ServiceThread thread;

    private void run(ServiceThread.Action end, Throwable... all) {
        failures.addAll(Arrays.asList(all));
        thread = new ServiceThread("test", outage, this::work, end);
        assertThat(thread.thread().getUncaughtExceptionHandler())
                .as("what ends the process")
                .isSameAs(DetachedThreads.newThread("any", () -> {}).getUncaughtExceptionHandler());
        thread.thread().setUncaughtExceptionHandler((t, failure) -> uncaught.complete(failure));
        thread.start();
        thread.join(JOIN_MS);
        assertThat(thread.thread().isAlive()).isFalse();
    }

    private void work() throws Exception {
        Throwable failure = failures.poll();
        if (failure instanceof Error) {
            throw (Error) failure;
        } else if (failure != null) {
            throw (Exception) failure;
        }
        thread.requestStop();
    }

    @Test
    void goesOnWhateverItMeets() {
        run(
                done::countDown,
                new NoClassDefFoundError("injected"),
                new JedisException("injected"),
                new KafkaException("injected"),
                new StackOverflowError(),
                new InterruptedException("nobody asked for it"));
        assertThat(failures).isEmpty();
        assertThat(done.getCount()).isZero();
        assertThat(uncaught).isNotDone();
        assertThat(outages.reasons()).as("it works again").isNull();
    }

    @Test
    void whatNoJvmSurvivesEndsTheProcess() throws Exception {
        OutOfMemoryError fatal = new OutOfMemoryError("injected");
        run(done::countDown, new NoClassDefFoundError("injected"), fatal, new KafkaException("no"));
        assertThat(uncaught.get(30, TimeUnit.SECONDS)).isSameAs(fatal);
        assertThat(failures).hasSize(1);
    }

    @Test
    void anEndThatFailsIsSurvived() {
        run(
                () -> {
                    throw new NoClassDefFoundError("injected");
                });
        assertThat(uncaught).isNotDone();
    }

    @Test
    void anErrorIsToldAtOnceAndAFailureOfAServerWhenItLasts() {
        outage.failed(new JedisException("away"));
        assertThat(outages.reasons()).isNull();
        outage.failed(new JedisException("away"));
        assertThat(outages.reasons()).isEqualTo("Work fails: " + new JedisException("away"));
        outage.succeeded();
        assertThat(outages.reasons()).isNull();
        outage.failed(new NoClassDefFoundError("codec"));
        assertThat(outages.reasons()).isEqualTo("Work fails: " + new NoClassDefFoundError("codec"));
        outages.of("Other work", () -> {}).failed(new IllegalStateException("broken"));
        assertThat(outages.reasons()).contains("; Other work fails: ");
    }
}
