// SPDX-License-Identifier: Apache-2.0
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
