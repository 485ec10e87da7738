// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What flows through the queries: persons, auctions, bids and markers as they come from Kafka, and
 * what the first operator of a query makes of them. Immutable. Needs no class of Flink.
 */
public abstract class Event {

    /**
     * When this was to be sent, in µs since the epoch; of what was made of several events, when the
     * last of them was.
     */
    public final long timeMicros;

    Event(long timeMicros) {
        this.timeMicros = timeMicros;
    }

    /** The event time, in ms since the epoch. */
    public final long time() {
        return timeMicros / 1_000L;
    }

    /** Which class this is of. */
    abstract Kind kind();

    /** Writes the fields of the subclass. */
    abstract void writeFields(DataOutput out) throws IOException;

    final void write(DataOutput out) throws IOException {
        out.writeByte(kind().ordinal());
        out.writeLong(timeMicros);
        writeFields(out);
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws IOException if it is nothing of that
     */
    static Event read(DataInput in) throws IOException {
        int kind = in.readUnsignedByte();
        if (kind >= Kind.ALL.length) {
            throw new IOException("There is no kind of event with the number " + kind + ".");
        }
        return Kind.ALL[kind].read(in.readLong(), in);
    }

    /** The event as it stands in Kafka. */
    public final byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try {
            write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("An array takes everything.", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads an event.
     *
     * @throws IOException if the bytes are those of no event, or more than that
     */
    public static Event fromBytes(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        Event event = read(in);
        if (in.available() > 0) {
            throw new IOException(
                    "There are " + in.available() + " bytes behind the event of " + event + ".");
        }
        return event;
    }

    static void writeBytes(byte[] bytes, DataOutput out) throws IOException {
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    static byte[] readBytes(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        return bytes;
    }

    /** The classes of events. The order is that of their numbers in Kafka and in checkpoints. */
    enum Kind {
        PERSON {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new Person(timeMicros, in);
            }
        },
        AUCTION {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new Auction(timeMicros, in);
            }
        },
        BID {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new Bid(timeMicros, in);
            }
        },
        MARKER {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new Marker(in.readLong(), timeMicros);
            }
        },
        WINNING_BID {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new WinningBid(timeMicros, in);
            }
        },
        BID_COUNT {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new BidCount(in.readLong(), in.readLong(), in.readLong(), timeMicros);
            }
        },
        PRICE_SUM {
            @Override
            Event read(long timeMicros, DataInput in) throws IOException {
                return new PriceSum(in.readLong(), in.readLong(), timeMicros);
            }
        };

        private static final Kind[] ALL = values();

        abstract Event read(long timeMicros, DataInput in) throws IOException;
    }
}
