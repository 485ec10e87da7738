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

package io.meces.examples.keycount;

import java.util.concurrent.locks.LockSupport;

/** Takes time. */
final class Work {

    /** Shorter waits than this are spent spinning: a parked thread wakes about 60 µs late. */
    private static final long SPIN_NANOS = 100_000L;

    private Work() {}

    static void atLeast(long nanos) {
        long deadline = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0) {
            if (left > SPIN_NANOS) {
                LockSupport.parkNanos(left - SPIN_NANOS);
            }
            left = deadline - System.nanoTime();
        }
    }
}
