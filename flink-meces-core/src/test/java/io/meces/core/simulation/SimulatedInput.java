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

import io.meces.core.migration.WatermarkCap;
import java.util.Arrays;
import java.util.BitSet;

/** The event time of one input: the lowest watermark of its channels, as Flink's valve has it. */
final class SimulatedInput {

    /** What holds it back. */
    final WatermarkCap cap = new WatermarkCap();

    private final BitSet channels;
    private final long[] watermarks;
    private long valve = Long.MIN_VALUE;

    SimulatedInput(BitSet channels) {
        this.channels = channels;
        this.watermarks = new long[channels.length()];
        Arrays.fill(watermarks, Long.MIN_VALUE);
    }

    boolean has(int channel) {
        return channels.get(channel);
    }

    /** Returns whether the input's watermark has risen. */
    boolean onWatermark(int channel, long watermark) {
        watermarks[channel] = Math.max(watermarks[channel], watermark);
        long lowest = channels.stream().mapToLong(c -> watermarks[c]).min().getAsLong();
        if (lowest <= valve) {
            return false;
        }
        valve = lowest;
        return cap.admit(lowest);
    }
}
