// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.Map;
import java.util.TreeMap;

/**
 * A consumer of the elastic vertex that sees all without delay, so nothing is late anywhere if it
 * is not late here.
 */
final class SimulatedDownstream {

    private final Map<Integer, Long> watermarks = new TreeMap<>();
    private long watermark = Long.MIN_VALUE;

    /** A subtask counts from now on; what it has to catch up with does not matter here. */
    void connect(int subtask) {
        watermarks.put(subtask, watermark);
    }

    void disconnect(int subtask) {
        watermarks.remove(subtask);
        rise();
    }

    void finish(int subtask) {
        watermarks.put(subtask, Long.MAX_VALUE);
        rise();
    }

    void onWatermark(int subtask, long newWatermark) {
        watermarks.merge(subtask, newWatermark, Math::max);
        rise();
    }

    private void rise() {
        long lowest = Long.MAX_VALUE;
        for (long w : watermarks.values()) {
            lowest = Math.min(lowest, w);
        }
        if (!watermarks.isEmpty()) {
            watermark = Math.max(watermark, lowest);
        }
    }

    void emit(int subtask, long time, Object cause) {
        Ledger.check(
                time > watermark,
                "what subtask %d emits at %d is late downstream, where it is %d: %s",
                subtask,
                time,
                watermark,
                cause);
    }
}
