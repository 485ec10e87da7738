// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.measure.Interval;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** What was seen of the processes of a run. Filled while it goes on. */
final class Resources {
    /** Time in µs since the epoch, and the heap that all TaskManagers use, in bytes. */
    final List<long[]> heap = new ArrayList<>();

    /** As {@link ResourceSampler#fetchMicros}. */
    Map<String, Map<String, Double>> fetchMicros = Collections.emptyMap();

    /** Null: not known. */
    @Nullable RocksDBStalls stalls;

    /** The most heap that all TaskManagers have used, in MB; NaN if it is not known. */
    double peakHeapMegabytes() {
        return heap.stream().mapToDouble(sample -> sample[1] / 1e6).max().orElse(Double.NaN);
    }

    /** How often RocksDB has told that it slows down or stops writes; NaN if that is not known. */
    double stalls(Interval within) {
        return stalls == null ? Double.NaN : stalls.within(within);
    }
}
