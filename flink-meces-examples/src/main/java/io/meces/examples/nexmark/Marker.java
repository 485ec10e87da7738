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

package io.meces.examples.nexmark;

import java.io.DataOutput;
import java.io.IOException;

/**
 * Measures latency. It goes the way of the records, by a key of its own, through all keyed
 * operators, but not into their windows and state, and comes out at once.
 */
public final class Marker extends Event {

    /** From 0. */
    public final long number;

    public Marker(long number, long timeMicros) {
        super(timeMicros);
        this.number = number;
    }

    /** Where it goes: as good as random, so that markers come to all key-groups. */
    long key() {
        long z = (number + 1) * 0x9E3779B97F4A7C15L;
        return z ^ z >>> 32;
    }

    @Override
    Kind kind() {
        return Kind.MARKER;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(number);
    }

    @Override
    public String toString() {
        return "marker " + number + " at " + time();
    }
}
