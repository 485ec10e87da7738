// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.DataOutput;
import java.io.IOException;

/** How many bids there are for an auction in a window. */
final class BidCount extends Event {
    static final BidCount NONE = new BidCount(0, 0, 0, 0);

    final long auction;

    /** The end of the window in ms, exclusive; 0 until it is known. */
    final long windowEnd;

    final long count;

    BidCount(long auction, long windowEnd, long count, long timeMicros) {
        super(timeMicros);
        this.auction = auction;
        this.windowEnd = windowEnd;
        this.count = count;
    }

    BidCount in(long end) {
        return new BidCount(auction, end, count, timeMicros);
    }

    @Override
    Kind kind() {
        return Kind.BID_COUNT;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(auction);
        out.writeLong(windowEnd);
        out.writeLong(count);
    }

    @Override
    public String toString() {
        return count + " bids for " + auction + " until " + windowEnd;
    }
}
