// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.eventtime.WatermarkCap;
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
