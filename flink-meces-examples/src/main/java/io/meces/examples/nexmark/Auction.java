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
