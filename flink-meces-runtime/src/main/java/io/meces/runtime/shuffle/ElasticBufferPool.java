// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.flink.runtime.BufferLimits;
import io.meces.flink.runtime.PartitionBuffers;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferListener;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.buffer.BufferPoolFactory;

/**
 * The buffers of a result partition whose subpartitions are activated while it is in use: as many
 * as Flink would give it if it had the active ones alone. Flink's pools cannot grow, so those that
 * are activated together have a pool of their own; the first one also has the buffers that are for
 * none in particular.
 *
 * <p>The task thread activates, deactivates and requests; any thread may ask for figures, recycle
 * and destroy.
 */
public final class ElasticBufferPool extends PartitionBuffers {

    /** A pool, and the first of the subpartitions that it is for. */
    private static final class Part {
        final int first;
        final BufferPool pool;

        Part(int first, BufferPool pool) {
            this.first = first;
            this.pool = pool;
        }
    }

    private final TaskTimes.Timer backPressured;
    private final OverdraftBuffers overdraft;
    private final int subpartitions;
    private final int perSubpartition;

    /** In the order of their subpartitions; at least one. Replaced as a whole. */
    private volatile Part[] parts;

    /** There are buffers for subpartitions 0..active-1. Task thread only. */
    private int active;

    /**
     * @param active subpartitions 0..active-1 are active; at least one
     * @param subpartitions how many there can be
     * @param limits buffers that the pool may have
     * @param backPressured runs while somebody is blocked for want of a buffer
     * @param overdraft has others for who is blocked while a command waits
     * @throws IOException if there are too few buffers
     */
    public ElasticBufferPool(
            BufferPoolFactory factory,
            int active,
            int subpartitions,
            BufferLimits limits,
            TaskTimes.Timer backPressured,
            OverdraftBuffers overdraft)
            throws IOException {
        super(factory, limits);
        this.backPressured = backPressured;
        this.overdraft = overdraft;
        this.subpartitions = subpartitions;
        this.perSubpartition = limits.perSubpartition;
        this.active = active;
        this.parts = new Part[] {new Part(0, create(active, limits.floating))};
    }

    /**
     * As in Flink there is one more than subpartitions: each can keep one that is not full, and the
     * task goes on only while there is another one.
     */
    private BufferPool create(int count, int floating) throws IOException {
        int required = count + 1;
        return create(required, Math.max(required, count * perSubpartition + floating), count);
    }

    /**
     * Subpartitions 0..count-1 are about to be active.
     *
     * @throws IOException if there are too few buffers; nothing has changed then
     */
    public void activateUpTo(int count) throws IOException {
        if (count <= active) {
            return;
        }
        BufferPool more = create(count - active, 0);
        synchronized (this) {
            if (isDestroyed()) {
                more.lazyDestroy();
                throw new IOException("The buffer pool is destroyed.");
            }
            Part[] grown = Arrays.copyOf(parts, parts.length + 1);
            grown[parts.length] = new Part(active, more);
            parts = grown;
        }
        active = count;
    }

    /** Subpartitions from this one on are not active any more. They must have no open builder. */
    public void deactivateFrom(int first) {
        synchronized (this) {
            int kept = parts.length;
            // the first one is for none in particular, too
            while (kept > 1 && parts[kept - 1].first >= first) {
                kept--;
                active = parts[kept].first;
                parts[kept].pool.lazyDestroy();
            }
            parts = Arrays.copyOf(parts, kept);
        }
    }

    private Part partOf(int subpartition) {
        Part[] all = parts;
        int i = all.length - 1;
        while (all[i].first > subpartition) {
            i--;
        }
        return all[i];
    }

    @Override
    @Nullable
    public BufferBuilder requestBufferBuilder(int subpartition) {
        Part part = partOf(subpartition);
        return part.pool.requestBufferBuilder(subpartition - part.first);
    }

    @Override
    public BufferBuilder requestBufferBuilderBlocking(int subpartition)
            throws InterruptedException {
        BufferBuilder builder = requestBufferBuilder(subpartition);
        if (builder != null) {
            return builder;
        }
        Part part = partOf(subpartition);
        backPressured.start();
        try {
            while (builder == null) {
                overdraft.awaitThisOr(part.pool.getAvailableFuture());
                builder = part.pool.requestBufferBuilder(subpartition - part.first);
                if (builder == null) {
                    builder = overdraft.request();
                }
            }
            return builder;
        } finally {
            backPressured.stop();
        }
    }

    /** A record may be for any of them: all must have a buffer. */
    @Override
    public CompletableFuture<?> getAvailableFuture() {
        for (Part part : parts) {
            CompletableFuture<?> available = part.pool.getAvailableFuture();
            if (available != AVAILABLE && !available.isDone()) {
                return available;
            }
        }
        return AVAILABLE;
    }

    @Override
    @Nullable
    public Buffer requestBuffer() {
        return parts[0].pool.requestBuffer();
    }

    @Override
    @Nullable
    public BufferBuilder requestBufferBuilder() {
        return parts[0].pool.requestBufferBuilder();
    }

    @Override
    public BufferBuilder requestBufferBuilderBlocking() throws InterruptedException {
        return parts[0].pool.requestBufferBuilderBlocking();
    }

    @Override
    public boolean addBufferListener(BufferListener listener) {
        return parts[0].pool.addBufferListener(listener);
    }

    /** Of a buffer that was requested for no subpartition; others know their pool. */
    @Override
    public void recycle(MemorySegment segment) {
        parts[0].pool.recycle(segment);
    }

    @Override
    protected Stream<BufferPool> pools() {
        return Arrays.stream(parts).map(part -> part.pool);
    }

    @Override
    public synchronized void lazyDestroy() {
        for (Part part : parts) {
            part.pool.lazyDestroy();
        }
    }

    @Override
    public boolean isDestroyed() {
        return parts[0].pool.isDestroyed();
    }

    /** Flink wants one for each subpartition. Those that are not active never take one. */
    @Override
    public int getNumberOfRequiredMemorySegments() {
        int required = 0;
        for (Part part : parts) {
            required += part.pool.getNumberOfRequiredMemorySegments();
        }
        return Math.max(required, subpartitions);
    }

    @Override
    public int getMaxNumberOfMemorySegments() {
        int most = 0;
        for (Part part : parts) {
            most += part.pool.getMaxNumberOfMemorySegments();
        }
        return most;
    }

    @Override
    public int getNumBuffers() {
        int buffers = 0;
        for (Part part : parts) {
            buffers += part.pool.getNumBuffers();
        }
        return buffers;
    }

    /** Flink tells that the pools that it has made. */
    @Override
    public void setNumBuffers(int buffers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getNumberOfAvailableMemorySegments() {
        int available = 0;
        for (Part part : parts) {
            available += part.pool.getNumberOfAvailableMemorySegments();
        }
        return available;
    }

    @Override
    public int bestEffortGetNumOfUsedBuffers() {
        int used = 0;
        for (Part part : parts) {
            used += part.pool.bestEffortGetNumOfUsedBuffers();
        }
        return used;
    }
}
