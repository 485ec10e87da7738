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

package io.meces.runtime.migration;

import java.util.function.BooleanSupplier;

/** What an upstream subtask puts into a channel, and what a subtask puts behind it. */
final class SimulatedElement {

    /** Kinds of elements. */
    enum Kind {
        RECORD,
        /** A record that concerns all units. */
        BROADCAST,
        WATERMARK,
        MARKER,
        END,
        /** Not of a channel: lets the watermarks of a receiver rise up to a time. */
        RELEASE
    }

    final Kind kind;
    final int channel;
    final int unit;
    final int key;
    final int sequence;

    /** Event time of a record, watermark or release; the step of a marker. */
    final long time;

    /** Whether a release still counts. */
    final BooleanSupplier valid;

    private SimulatedElement(Kind kind, int channel, int unit, int key, int sequence, long time) {
        this(kind, channel, unit, key, sequence, time, () -> true);
    }

    private SimulatedElement(
            Kind kind,
            int channel,
            int unit,
            int key,
            int sequence,
            long time,
            BooleanSupplier valid) {
        this.kind = kind;
        this.channel = channel;
        this.unit = unit;
        this.key = key;
        this.sequence = sequence;
        this.time = time;
        this.valid = valid;
    }

    static SimulatedElement record(int channel, int unit, int key, int sequence, long time) {
        return new SimulatedElement(Kind.RECORD, channel, unit, key, sequence, time);
    }

    static SimulatedElement broadcast(int channel, int sequence, long time) {
        return new SimulatedElement(Kind.BROADCAST, channel, -1, -1, sequence, time);
    }

    static SimulatedElement watermark(int channel, long time) {
        return new SimulatedElement(Kind.WATERMARK, channel, -1, -1, -1, time);
    }

    static SimulatedElement marker(int channel, long step) {
        return new SimulatedElement(Kind.MARKER, channel, -1, -1, -1, step);
    }

    static SimulatedElement end(int channel) {
        return new SimulatedElement(Kind.END, channel, -1, -1, -1, Long.MAX_VALUE);
    }

    static SimulatedElement release(long cap, BooleanSupplier valid) {
        return new SimulatedElement(Kind.RELEASE, -1, -1, -1, -1, cap, valid);
    }

    int unit() {
        return unit;
    }

    int channel() {
        return channel;
    }

    @Override
    public String toString() {
        switch (kind) {
            case RECORD:
                return "record " + sequence + " of key " + key + " (unit " + unit + ") at " + time;
            case BROADCAST:
                return "broadcast record " + sequence + " at " + time;
            case WATERMARK:
                return "watermark " + time;
            case MARKER:
                return "marker of step " + time;
            case RELEASE:
                return "release up to " + time;
            default:
                return "end";
        }
    }
}
