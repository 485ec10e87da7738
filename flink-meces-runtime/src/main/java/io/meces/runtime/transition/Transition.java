/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.transition;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.migration.MigrationOrder;
import io.meces.state.Compression;
import io.meces.state.UnitCompression;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.util.ExecutorThreadFactory;

/**
 * What the tasks of a TaskManager share to exchange units: the service that carries them, the bytes
 * in flight, a clock, the metrics and the settings. Thread-safe.
 */
public final class Transition implements AutoCloseable {

    private final TransitionService service;
    private final TransitionMetrics metrics;
    private final InFlightBytes inFlight;
    private final long peerWindowBytes;
    private final long peerWindowOnDemandBytes;
    private final long chunkBytes;
    private final long lingerNanos;
    private final Compression compression;
    private final MigrationOrder order;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    new ExecutorThreadFactory("meces-transition-timer"));
    private final ExecutorService drains =
            Executors.newCachedThreadPool(new ExecutorThreadFactory("meces-sink-drain"));

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
                new InFlightBytes(window(settings, MecesOptions.TRANSITION_IN_FLIGHT), metrics);
        this.peerWindowBytes = window(settings, MecesOptions.TRANSITION_IN_FLIGHT_PER_PEER);
        this.peerWindowOnDemandBytes =
                service.isDirect()
                        ? window(settings, MecesOptions.TRANSITION_IN_FLIGHT_ON_DEMAND)
                        : peerWindowBytes;
        this.chunkBytes = settings.get(MecesOptions.TRANSITION_CHUNK_SIZE).getBytes();
        this.lingerNanos = settings.get(MecesOptions.TRANSITION_CHUNK_LINGER).toNanos();
        this.compression = settings.get(MecesOptions.TRANSITION_COMPRESSION);
        this.order = settings.get(MecesOptions.MIGRATION_ORDER);
        UnitCompression.checkSupported(compression);
    }

    /** One byte lets one message go at a time; none would stop the background for good. */
    private static long window(ReadableConfig settings, ConfigOption<MemorySize> option) {
        return Math.max(1, settings.get(option).getBytes());
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

    /** Bytes in the background that one task may have in flight to one peer. */
    public long peerWindowBytes() {
        return peerWindowBytes;
    }

    /** The same while records wait for state that the task gives. */
    public long peerWindowOnDemandBytes() {
        return peerWindowOnDemandBytes;
    }

    /** Bytes of state from which on a chunk is sent. */
    public long chunkBytes() {
        return chunkBytes;
    }

    /** How long a chunk waits for more units. */
    public long lingerNanos() {
        return lingerNanos;
    }

    /** How units are compressed. */
    public Compression compression() {
        return compression;
    }

    /** In which order units leave. */
    public MigrationOrder order() {
        return order;
    }

    /**
     * Runs what may block, for a task. A task has one such work at a time at most, so there are no
     * more threads than slots.
     */
    public ExecutorService drains() {
        return drains;
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
