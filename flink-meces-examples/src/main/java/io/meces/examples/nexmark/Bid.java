// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Somebody bids in an auction. */
public final class Bid extends Event {

    /** The {@link Auction#id}. */
    public final long auction;

    /** The {@link Person#id}. */
    public final long bidder;

    /** In cents. */
    public final long price;

    /** Padding. */
    final byte[] extra;

    Bid(long auction, long bidder, long price, long timeMicros, byte[] extra) {
        super(timeMicros);
        this.auction = auction;
        this.bidder = bidder;
        this.price = price;
        this.extra = extra;
    }

    Bid(long timeMicros, DataInput in) throws IOException {
        this(in.readLong(), in.readLong(), in.readLong(), timeMicros, readBytes(in));
    }

    @Override
    Kind kind() {
        return Kind.BID;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(auction);
        out.writeLong(bidder);
        out.writeLong(price);
        writeBytes(extra, out);
    }

    @Override
    public String toString() {
        return "bid of " + bidder + " for " + auction + " at " + time();
    }
}
