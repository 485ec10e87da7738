// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.protocol.MigrationOrder;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.runtime.MecesOptions;
import io.meces.state.Compression;
import io.meces.state.DetachedThreads;
import io.meces.state.UnitCompression;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * What the tasks of a TaskManager share to exchange units: the service that carries them, the bytes
 * in flight, a clock, the metrics and the settings. Thread-safe.
 */
public final class Transition implements AutoCloseable {

    /** What tasks have read ahead may take one in so many bytes of the heap. */
    private static final int READ_AHEAD_SHARE = 5;

    /** Of these one in so many is for each slot, whatever other tasks take. */
    private static final int LEAST_SHARE = 8;

    private final TransitionService service;
    private final TransitionMetrics metrics;
    private final InFlightBytes inFlight;
    private final FlowControl flowControl;
    private final Compression compression;
    private final MigrationOrder order;
    private final ReadAheadMemory readAhead;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    new DetachedThreads("meces-transition-timer"));
    private final ExecutorService drains =
            Executors.newCachedThreadPool(new DetachedThreads("meces-sink-drain"));

    /**
     * Takes the service over; {@link #close} closes it.
     *
     * @throws IllegalStateException if state cannot be compressed here as the settings want it
     */
    public Transition(
            TransitionService service, TransitionMetrics metrics, ReadableConfig settings) {
        this.service = service;
        this.metrics = metrics;
        this.inFlight =
                new InFlightBytes(
                        settings.get(MecesOptions.TRANSITION_IN_FLIGHT).getBytes(),
                        metrics::retained);
        long window = settings.get(MecesOptions.TRANSITION_IN_FLIGHT_PER_PEER).getBytes();
        this.flowControl =
                new FlowControl(
                        settings.get(MecesOptions.TRANSITION_CHUNK_SIZE).getBytes(),
                        settings.get(MecesOptions.TRANSITION_CHUNK_LINGER).toNanos(),
                        window,
                        service.isDirect()
                                ? settings.get(MecesOptions.TRANSITION_IN_FLIGHT_ON_DEMAND)
                                        .getBytes()
                                : window);
        this.compression = settings.get(MecesOptions.TRANSITION_COMPRESSION);
        this.order = settings.get(MecesOptions.MIGRATION_ORDER);
        long readAheadBytes = Runtime.getRuntime().maxMemory() / READ_AHEAD_SHARE;
        this.readAhead =
                new ReadAheadMemory(
                        readAheadBytes,
                        readAheadBytes
                                / LEAST_SHARE
                                / settings.get(TaskManagerOptions.NUM_TASK_SLOTS));
        UnitCompression.checkSupported(compression);
    }

    public TransitionService service() {
        return service;
    }

    public TransitionMetrics metrics() {
        return metrics;
    }

    public InFlightBytes inFlight() {
        return inFlight;
    }

    /** How much of the background travels at a time. */
    public FlowControl flowControl() {
        return flowControl;
    }

    /** How units are compressed. */
    public Compression compression() {
        return compression;
    }

    /** In which order units leave. */
    public MigrationOrder order() {
        return order;
    }

    /** For what tasks have read ahead. */
    public ReadAheadMemory readAhead() {
        return readAhead;
    }

    /**
     * Runs what may block, for a task. A task has one such work at a time at most, so there are no
     * more threads than slots.
     */
    public ExecutorService drains() {
        return drains;
    }

    /** Runs an action once, unless it is closed before. It must not block. */
    public void after(Duration delay, Runnable action) {
        timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs an action again and again, until the future is cancelled. It must not block. */
    public ScheduledFuture<?> every(Duration period, Runnable action) {
        return timer.scheduleWithFixedDelay(
                action, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        drains.shutdownNow();
        service.close();
    }
}
