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
