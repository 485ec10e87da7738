// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.function.LongSupplier;

/**
 * Lets other threads have the processor every now and then, on behalf of work that nobody waits
 * for. Where all processors are busy, a task thread that gets a record waits until one of the
 * threads that run has used up its slice, 3 ms and more with Linux, or gives way.
 *
 * <p>No more than half of the time is given away: others that never rest would leave nothing.
 *
 * <p>One thread at a time.
 */
final class ProcessorYield {

    /** For a fraction of a ms of work. */
    static final int EACH_BYTES = 32 << 10;

    private final LongSupplier nanoTime;
    private final Runnable giveWay;
    private long bytes;
    private long notBefore;

    ProcessorYield() {
        this(System::nanoTime, Thread::yield);
    }

    /**
     * @param giveWay returns when it is this thread's turn again
     */
    ProcessorYield(LongSupplier nanoTime, Runnable giveWay) {
        this.nanoTime = nanoTime;
        this.giveWay = giveWay;
        this.notBefore = nanoTime.getAsLong();
    }

    /** That many bytes have been worked on. */
    void after(long worked) {
        bytes += worked;
        if (bytes < EACH_BYTES) {
            return;
        }
        bytes = 0;
        long now = nanoTime.getAsLong();
        if (now - notBefore >= 0) {
            giveWay.run();
            long back = nanoTime.getAsLong();
            notBefore = back + (back - now);
        }
    }
}
