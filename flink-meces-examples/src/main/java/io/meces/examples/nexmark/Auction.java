// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** An item is put up for auction. */
public final class Auction extends Event {
    public final long id;
    public final String itemName;
    public final String description;

    /** In cents. */
    public final long initialBid;

    /** The least price that wins, in cents. */
    public final long reserve;

    /** The event time of its end, in ms since the epoch: bids of that time come too late. */
    public final long expires;

    /** The {@link Person#id} of who sells. */
    public final long seller;

    public final long category;

    /** Padding. */
    final byte[] extra;

    Auction(
            long id,
            String itemName,
            String description,
            long initialBid,
            long reserve,
            long timeMicros,
            long expires,
            long seller,
            long category,
            byte[] extra) {
        super(timeMicros);
        this.id = id;
        this.itemName = itemName;
        this.description = description;
        this.initialBid = initialBid;
        this.reserve = reserve;
        this.expires = expires;
        this.seller = seller;
        this.category = category;
        this.extra = extra;
    }

    Auction(long timeMicros, DataInput in) throws IOException {
        this(
                in.readLong(),
                in.readUTF(),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                timeMicros,
                in.readLong(),
                in.readLong(),
                in.readLong(),
                readBytes(in));
    }

    @Override
    Kind kind() {
        return Kind.AUCTION;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(id);
        out.writeUTF(itemName);
        out.writeUTF(description);
        out.writeLong(initialBid);
        out.writeLong(reserve);
        out.writeLong(expires);
        out.writeLong(seller);
        out.writeLong(category);
        writeBytes(extra, out);
    }

    @Override
    public String toString() {
        return "auction " + id + " at " + time();
    }
}
