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

package io.meces.core.rescale;

/** The longest time without a completed checkpoint. Thread-safe; times are of one clock, in ns. */
final class CheckpointGaps {

    private long lastNanos;
    private long longestNanos;

    CheckpointGaps(long nowNanos) {
        lastNanos = nowNanos;
    }

    synchronized void onCompleted(long nowNanos) {
        longestNanos = Math.max(longestNanos, nowNanos - lastNanos);
        lastNanos = nowNanos;
    }

    /** Forgets all gaps but that which has not ended. */
    synchronized void forget() {
        longestNanos = 0;
    }

    synchronized long longest(long nowNanos) {
        return Math.max(longestNanos, nowNanos - lastNanos);
    }
}
