// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the JobManager does later for a job, until that ends. Flink's timer keeps what it has been
 * given until it is due, which may be minutes; an action leads to the class loader of its job, so
 * the timer is not given the action itself. Thread-safe.
 */
final class DelayedActions {

    private static final Logger LOG = LoggerFactory.getLogger(DelayedActions.class);

    private final Timer timer;
    private final Consumer<Throwable> onFailure;
    private final Set<Delayed> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    /** That of Flink. */
    @FunctionalInterface
    interface Timer {

        /** Has the main thread do something later. */
        void schedule(Runnable action, long delayNanos);
    }

    /**
     * @param onFailure is told what an action has thrown
     */
    DelayedActions(Timer timer, Consumer<Throwable> onFailure) {
        this.timer = timer;
        this.onFailure = onFailure;
    }

    /** Has an action done by the main thread later, unless the job has ended by then. */
    void schedule(Runnable action, Duration delay) {
        Delayed delayed = new Delayed();
        delayed.set(() -> run(delayed, action));
        waiting.add(delayed);
        if (ended) {
            end();
        } else {
            timer.schedule(delayed, delay.toNanos());
        }
    }

    /** The executor has a future for what an action throws, and nobody looks at it. */
    private void run(Delayed delayed, Runnable action) {
        waiting.remove(delayed);
        try {
            action.run();
        } catch (Throwable unforeseen) {
            LOG.error("An action of a rescale has failed.", unforeseen);
            onFailure.accept(new FlinkException("An action of a rescale has failed", unforeseen));
        }
    }

    /** The job has ended: nothing is done any more. */
    void end() {
        ended = true;
        waiting.forEach(delayed -> delayed.set(null));
        waiting.clear();
    }

    /** All that the timer gets. */
    private static final class Delayed extends AtomicReference<Runnable> implements Runnable {
        private static final long serialVersionUID = 1L;

        @Override
        public void run() {
            Runnable action = getAndSet(null);
            if (action != null) {
                action.run();
            }
        }
    }
}
