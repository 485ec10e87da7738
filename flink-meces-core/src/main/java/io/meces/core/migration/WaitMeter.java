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

package io.meces.core.migration;

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
