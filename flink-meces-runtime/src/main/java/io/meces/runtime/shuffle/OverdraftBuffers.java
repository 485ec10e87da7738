// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferRecycler;
import org.apache.flink.runtime.memory.MemoryManager;

/**
 * Buffers besides those of the pools, for a source that is blocked for want of one while a command
 * waits for it. The thread of a legacy source has the checkpoint lock when it is blocked, and a
 * command is carried out under that lock: it would wait until a consumer has worked off a whole
 * buffer, which under back pressure takes as long as its records take. With one of these the source
 * finishes its record, and lets go of the lock.
 *
 * <p>They are few, small enough for any consumer, and on the heap; there are none as long as no
 * command waits. Thread-safe.
 */
public final class OverdraftBuffers implements BufferRecycler {

    /** A source may emit much for one record; beyond that it is blocked as ever. */
    static final int MOST = 256;

    /**
     * For how long a source pauses with each of them. It takes the lock again as soon as it has let
     * go of it, before who waits for it is awake: without a pause a hundred buffers go by until
     * then, on a busy machine a thousand; with it, a few. An interrupted source does not pause: it
     * ends.
     */
    private static final long PAUSE_NANOS = 50_000;

    /** The least that Flink allows as the size of network buffers. */
    private static final int BYTES = MemoryManager.MIN_PAGE_SIZE;

    private int commands;
    private int used;

    /** A command waits; {@link #close()} follows. */
    public synchronized void open() {
        commands++;
        notifyAll();
    }

    /** It does not wait any more. */
    public synchronized void close() {
        commands--;
    }

    /** Blocks until a pool has a buffer, or {@link #request()} gives one. */
    void awaitThisOr(CompletableFuture<?> pool) throws InterruptedException {
        pool.thenRun(this::wakeUp);
        synchronized (this) {
            while (!pool.isDone() && !isOpen()) {
                wait();
            }
        }
    }

    private synchronized void wakeUp() {
        notifyAll();
    }

    private boolean isOpen() {
        return commands > 0 && used < MOST;
    }

    /** Null: no command waits, or all are in use. */
    @Nullable
    BufferBuilder request() {
        synchronized (this) {
            if (!isOpen()) {
                return null;
            }
            used++;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
        return new BufferBuilder(MemorySegmentFactory.allocateUnpooledSegment(BYTES), this);
    }

    @Override
    public void recycle(MemorySegment segment) {
        segment.free();
        synchronized (this) {
            used--;
            notifyAll();
        }
    }
}
