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

/** Prices added up. */
final class PriceSum extends Event {
    static final PriceSum NOTHING = new PriceSum(0, 0, 0);

    final long sum;
    final long count;

    PriceSum(long sum, long count, long timeMicros) {
        super(timeMicros);
        this.sum = sum;
        this.count = count;
    }

    PriceSum plus(WinningBid bid) {
        return new PriceSum(sum + bid.price, count + 1, Math.max(timeMicros, bid.timeMicros));
    }

    PriceSum plus(PriceSum other) {
        return new PriceSum(
                sum + other.sum, count + other.count, Math.max(timeMicros, other.timeMicros));
    }

    /** In cents, rounded down; there has to be a price. */
    long average() {
        return sum / count;
    }

    @Override
    Kind kind() {
        return Kind.PRICE_SUM;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(sum);
        out.writeLong(count);
    }

    @Override
    public String toString() {
        return sum + " by " + count;
    }
}
