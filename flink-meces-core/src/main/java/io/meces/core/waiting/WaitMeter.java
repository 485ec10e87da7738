// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import io.meces.core.command.RecordWaits;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Measures how long records wait. Owned by the task thread. */
final class WaitMeter {

    private final LongSupplier nanoTime;
    private final LongConsumer waited;
    private long records;
    private long totalNanos;
    private long longestNanos;

    /**
     * @param waited is told of each record how long it has waited in ns
     */
    WaitMeter(LongSupplier nanoTime, LongConsumer waited) {
        this.nanoTime = nanoTime;
        this.waited = waited;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    /** A record has waited. */
    void add(long nanos) {
        records++;
        totalNanos += nanos;
        longestNanos = Math.max(longestNanos, nanos);
        waited.accept(nanos);
    }

    /** What has been added since the last call. */
    RecordWaits take() {
        RecordWaits waits = new RecordWaits(records, totalNanos, longestNanos);
        records = 0;
        totalNanos = 0;
        longestNanos = 0;
        return waits;
    }
}
