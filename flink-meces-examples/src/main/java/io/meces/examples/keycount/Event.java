// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import java.nio.ByteBuffer;

/**
 * An input record of the key-count job: 33 bytes, big-endian. The public fields and the constructor
 * without arguments make it a POJO of Flink.
 */
public final class Event {
    public static final int BYTES = 4 * Long.BYTES + 1;

    /** The key, from 0. */
    public long key;

    /** The position of this record among those of its key, from 1. */
    public long sequence;

    /** When the schedule wanted it sent, in µs since the epoch. It may have left later. */
    public long intendedMicros;

    /** The position of this record among all records, from 0. */
    public long ordinal;

    /** Whether it was sent to measure latency: counted like all others, but known by its result. */
    public boolean marker;

    /** When the job has read it, in µs since the epoch; not in Kafka. */
    public long readMicros;

    /** For Flink. */
    public Event() {}

    public Event(long key, long sequence, long intendedMicros, long ordinal, boolean marker) {
        this.key = key;
        this.sequence = sequence;
        this.intendedMicros = intendedMicros;
        this.ordinal = ordinal;
        this.marker = marker;
    }

    /** The record as it stands in Kafka. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(key)
                .putLong(sequence)
                .putLong(intendedMicros)
                .putLong(ordinal)
                .put((byte) (marker ? 1 : 0))
                .array();
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException if the bytes have another length than {@link #BYTES}
     */
    public static Event fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "An event has " + BYTES + " bytes, this one has " + bytes.length + ".");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Event(
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.get() != 0);
    }
}
