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

import io.meces.api.RescaleDetails;

/** A rescale of the demo, as it was seen from outside. */
public final class RescaleRun {
    public final int from;
    public final int to;

    /** How it ended, as the JobManager says. */
    public final RescaleDetails rescale;

    /** From just before it was asked for until its end was seen. */
    public final Interval interval;

    public RescaleRun(int from, int to, RescaleDetails rescale, Interval interval) {
        this.from = from;
        this.to = to;
        this.rescale = rescale;
        this.interval = interval;
    }

    /** The time for which it is held responsible: until one second after its end. */
    public Interval affected() {
        return new Interval(interval.startMicros, interval.endMicros + 1_000_000L);
    }
}
