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

package io.meces.experiments.harness;

/** A stretch of time, in µs since the epoch; the start is in it, the end is not. */
public final class Interval {
    public final long startMicros;
    public final long endMicros;

    public Interval(long startMicros, long endMicros) {
        this.startMicros = startMicros;
        this.endMicros = endMicros;
    }

    public boolean contains(long micros) {
        return micros >= startMicros && micros < endMicros;
    }

    public boolean overlaps(long otherStart, long otherEnd) {
        return otherStart < endMicros && otherEnd > startMicros;
    }
}
