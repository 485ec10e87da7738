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

package io.meces.core.requirement;

import java.time.Duration;

/** When to try again what has failed: each time after twice as long. Owned by one thread. */
final class RetryTimes {

    private final Duration first;
    private final Duration longest;
    private Duration pause = Duration.ZERO;
    private long failedNanos;

    RetryTimes(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
    }

    void failed(long nowNanos) {
        failedNanos = nowNanos;
        Duration doubled = pause.isZero() ? first : pause.multipliedBy(2);
        pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    void reset() {
        pause = Duration.ZERO;
    }

    /** How long to wait; zero or less: it may be tried now. */
    Duration left(long nowNanos) {
        return pause.isZero() ? pause : pause.minusNanos(nowNanos - failedNanos);
    }

    boolean isDue(long nowNanos) {
        Duration left = left(nowNanos);
        return left.isZero() || left.isNegative();
    }
}
