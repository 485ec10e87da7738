// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.View;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * How long a task has been idle, back-pressured and busy, in milliseconds per second as in Flink
 * 1.13. Measured when it stops and when it goes on, so that it costs nothing while records flow.
 * Thread-safe: whoever has a task go on may be another thread.
 */
public final class TaskTimes {

    private static final double MILLIS = 1e3;

    private final LongSupplier nanos;
    private final long startNanos;
    private final Timer idle;
    private final Timer backPressured;

    /**
     * @param nanos a clock that never goes back
     */
    TaskTimes(LongSupplier nanos) {
        this.nanos = nanos;
        startNanos = nanos.getAsLong();
        idle = new Timer(nanos);
        backPressured = new Timer(nanos);
    }

    /** Runs while the task waits for input. */
    public Timer idle() {
        return idle;
    }

    /** Runs while it waits for its consumers, in its thread or in that of its source. */
    public Timer backPressured() {
        return backPressured;
    }

    /**
     * Registers them for a task. Of a task that is in no elastic vertex, the busy time is not a
     * number: autoscalers leave it as it is.
     */
    static void register(ExecutionAttemptID attempt, MetricGroup task) {
        task.gauge(
                "busyTimeMsPerSecond",
                new OfTask(
                        attempt,
                        links -> links.vertex() == null ? Double.NaN : links.times().busy(),
                        times -> times.idle.update()));
        task.gauge(
                "backPressuredTimeMsPerSecond",
                new OfTask(
                        attempt,
                        links -> links.times().backPressured.perSecond(),
                        times -> times.backPressured.update()));
        task.gauge(
                "accumulateBusyTimeMs",
                total(attempt, links -> links.vertex() == null ? -1 : links.times().busyNanos()));
        task.gauge(
                "accumulateIdleTimeMs", total(attempt, links -> links.times().idle.totalNanos()));
        task.gauge(
                "accumulateBackPressuredTimeMs",
                total(attempt, links -> links.times().backPressured.totalNanos()));
    }

    /**
     * @param nanos less than zero: not a number
     */
    private static Gauge<Double> total(
            ExecutionAttemptID attempt, ToLongFunction<TaskLinks> nanos) {
        return () -> {
            TaskLinks links = TaskLinks.find(attempt);
            long total = links == null ? -1 : nanos.applyAsLong(links);
            return total < 0 ? Double.NaN : (double) TimeUnit.NANOSECONDS.toMillis(total);
        };
    }

    long busyNanos() {
        long waited = idle.totalNanos() + backPressured.totalNanos();
        return Math.max(0, nanos.getAsLong() - startNanos - waited);
    }

    double busy() {
        return Math.max(0, MILLIS - idle.perSecond() - backPressured.perSecond());
    }

    /** Who reads a metric may do so before the task is made, and when it is gone. */
    private static final class OfTask implements Gauge<Double>, View {
        private final ExecutionAttemptID attempt;
        private final ToDoubleFunction<TaskLinks> value;
        private final Consumer<TaskTimes> update;

        OfTask(
                ExecutionAttemptID attempt,
                ToDoubleFunction<TaskLinks> value,
                Consumer<TaskTimes> update) {
            this.attempt = attempt;
            this.value = value;
            this.update = update;
        }

        @Override
        public Double getValue() {
            TaskLinks links = TaskLinks.find(attempt);
            return links == null ? Double.NaN : value.applyAsDouble(links);
        }

        @Override
        public void update() {
            TaskLinks links = TaskLinks.find(attempt);
            if (links != null) {
                update.accept(links.times());
            }
        }
    }

    /** How much of each second something goes on. */
    public static final class Timer {
        private final LongSupplier nanos;
        private long updatedAt;
        private long startedAt;
        private boolean runs;

        /** Since the last update, without what still runs. */
        private long elapsed;

        /** Without what still runs. */
        private long total;

        private volatile double perSecond;

        Timer(LongSupplier nanos) {
            this.nanos = nanos;
            updatedAt = nanos.getAsLong();
        }

        /** Has no effect if it runs. */
        public synchronized void start() {
            if (!runs) {
                runs = true;
                startedAt = nanos.getAsLong();
            }
        }

        /**
         * Has no effect if it does not run.
         *
         * @return for how long it has run since {@link #start()}, in nanoseconds
         */
        public synchronized long stop() {
            if (!runs) {
                return 0;
            }
            runs = false;
            long now = nanos.getAsLong();
            elapsed += now - Math.max(startedAt, updatedAt);
            total += now - startedAt;
            return now - startedAt;
        }

        synchronized long totalNanos() {
            return runs ? total + nanos.getAsLong() - startedAt : total;
        }

        synchronized void update() {
            long now = nanos.getAsLong();
            if (runs) {
                elapsed += now - Math.max(startedAt, updatedAt);
            }
            long period = now - updatedAt;
            perSecond = period <= 0 ? 0 : MILLIS * Math.min(elapsed, period) / period;
            elapsed = 0;
            updatedAt = now;
        }

        double perSecond() {
            return perSecond;
        }
    }
}
