// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The highest bid of an auction, of equal ones the earliest: of those that can win, so far or at
 * its end, or of those in a window.
 */
final class WinningBid extends Event {
    final long auction;
    final long category;
    final long seller;

    /** When the auction or the window ends, exclusive, in ms of event time. */
    final long end;

    final long bidder;
    final long price;

    /** When the bid was made, in ms of event time. */
    final long bidTime;

    WinningBid(
            long auction,
            long category,
            long seller,
            long end,
            long bidder,
            long price,
            long bidTime,
            long timeMicros) {
        super(timeMicros);
        this.auction = auction;
        this.category = category;
        this.seller = seller;
        this.end = end;
        this.bidder = bidder;
        this.price = price;
        this.bidTime = bidTime;
    }

    WinningBid(long timeMicros, DataInput in) throws IOException {
        this(
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                timeMicros);
    }

    /** Whether a bid for the same auction is not as good as this one. */
    boolean beats(Bid bid) {
        return price > bid.price || price == bid.price && bidTime <= bid.time();
    }

    WinningBid in(long windowEnd) {
        return new WinningBid(
                auction, category, seller, windowEnd, bidder, price, bidTime, timeMicros);
    }

    @Override
    Kind kind() {
        return Kind.WINNING_BID;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(auction);
        out.writeLong(category);
        out.writeLong(seller);
        out.writeLong(end);
        out.writeLong(bidder);
        out.writeLong(price);
        out.writeLong(bidTime);
    }

    @Override
    public String toString() {
        return "winning bid of " + bidder + " for " + auction + " at " + bidTime;
    }
}
