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

package io.meces.state;

import java.util.function.LongSupplier;

/**
 * Lets other threads go first while a snapshot is written: tasks, and the collectors of other
 * processes, which wait for milliseconds if all processors are taken by writers. A processor that
 * nobody else wants is not given up, so it costs nothing then.
 *
 * <p>Linux has a thread that yields wait for a whole time slice of another. So it does so only as
 * long as that has taken at most {@value #WAIT_PER_WORK} times the rest: writing takes about three
 * times as long as without it at most, however busy the machine is.
 *
 * <p>Owned by the thread that writes.
 */
final class WriterYield {

    /** How long it may wait, in units of the time that it has worked. */
    static final int WAIT_PER_WORK = 2;

    private final LongSupplier nanoTime;
    private final Runnable giveWay;
    private long since;
    private long worked;
    private long waited;

    WriterYield() {
        this(System::nanoTime, Thread::yield);
    }

    WriterYield(LongSupplier nanoTime, Runnable giveWay) {
        this.nanoTime = nanoTime;
        this.giveWay = giveWay;
    }

    /** Work begins. */
    void begin() {
        since = nanoTime.getAsLong();
    }

    /** To be called each some ten µs of work. */
    void afterBlock() {
        long now = nanoTime.getAsLong();
        worked += now - since;
        since = now;
        if (waited <= WAIT_PER_WORK * worked) {
            giveWay.run();
            since = nanoTime.getAsLong();
            waited += since - now;
        }
    }

    /** Work ends, until it begins again: what others do meanwhile, and how they wait, is theirs. */
    void end() {
        worked += nanoTime.getAsLong() - since;
    }
}
