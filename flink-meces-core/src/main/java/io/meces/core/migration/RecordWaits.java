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

package io.meces.core.migration;

import java.io.Serializable;

/**
 * How long records waited at a new owner: for their unit, or for what the old owner still had of
 * their key. Not in it: what they then wait behind other records. An immutable value.
 */
public final class RecordWaits implements Serializable {
    private static final long serialVersionUID = 1L;

    public static final RecordWaits NONE = new RecordWaits(0, 0, 0);

    /** How many waited. */
    public final long records;

    /** All of them together, in ns. */
    public final long totalNanos;

    /** The one that waited for the longest, in ns. */
    public final long longestNanos;

    public RecordWaits(long records, long totalNanos, long longestNanos) {
        this.records = records;
        this.totalNanos = totalNanos;
        this.longestNanos = longestNanos;
    }

    /** Both together. */
    public RecordWaits plus(RecordWaits other) {
        return new RecordWaits(
                records + other.records,
                totalNanos + other.totalNanos,
                Math.max(longestNanos, other.longestNanos));
    }

    @Override
    public String toString() {
        return records
                + " records waited, "
                + totalNanos / 1_000
                + " us in total, the longest "
                + longestNanos / 1_000
                + " us";
    }
}
