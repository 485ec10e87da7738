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

package io.meces.runtime.simulation;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The event time of one input: the lowest watermark of its channels, held back by a cap. What
 * Flink's valve and the input's cap do in production.
 */
final class SimulatedInput {

    private final BitSet channels;
    private final long[] watermarks;
    private long valve = Long.MIN_VALUE;
    private long cap = Long.MAX_VALUE;
    private long emitted = Long.MIN_VALUE;
    private long waiting = Long.MIN_VALUE;

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
        return admit(lowest);
    }

    private boolean admit(long watermark) {
        if (watermark <= cap) {
            emitted = watermark;
            return true;
        }
        waiting = watermark;
        if (cap > emitted) {
            emitted = cap;
            return true;
        }
        return false;
    }

    void close() {
        cap = emitted;
    }

    boolean raise(long newCap) {
        cap = Math.max(cap, newCap);
        if (waiting == Long.MIN_VALUE) {
            return false;
        }
        long watermark = waiting;
        waiting = Long.MIN_VALUE;
        return admit(watermark);
    }

    /** The last watermark that has come, emitted or not. */
    long come() {
        return waiting == Long.MIN_VALUE ? emitted : waiting;
    }

    long emitted() {
        return emitted;
    }
}
