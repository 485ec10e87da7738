// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import java.nio.ByteBuffer;

/**
 * An output record of the key-count job: 54 bytes, big-endian. The public fields and the
 * constructor without arguments make it a POJO of Flink.
 */
public final class CountResult {
    public static final int BYTES = 6 * Long.BYTES + Integer.BYTES + 2;

    public long key;

    /** How many records of the key have been counted, with this one. */
    public long count;

    /** The sequence number of the record that was counted. */
    public long sequence;

    /** When the schedule wanted that record sent, in µs since the epoch. */
    public long intendedMicros;

    /** When it was counted, in µs since the epoch. */
    public long processedMicros;

    /** The index of the subtask that counted it. */
    public int subtask;

    /** Whether the record that was counted for the key before this one was its predecessor. */
    public boolean inSequence;

    /** When the job has read that record, in µs since the epoch. */
    public long readMicros;

    /** Whether that record is a marker. */
    public boolean marker;

    /** For Flink. */
    public CountResult() {}

    public CountResult(
            long key,
            long count,
            long sequence,
            long intendedMicros,
            long processedMicros,
            int subtask,
            boolean inSequence,
            long readMicros,
            boolean marker) {
        this.key = key;
        this.count = count;
        this.sequence = sequence;
        this.intendedMicros = intendedMicros;
        this.processedMicros = processedMicros;
        this.subtask = subtask;
        this.inSequence = inSequence;
        this.readMicros = readMicros;
        this.marker = marker;
    }

    /** The record as it stands in Kafka. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(key)
                .putLong(count)
                .putLong(sequence)
                .putLong(intendedMicros)
                .putLong(processedMicros)
                .putInt(subtask)
                .put((byte) (inSequence ? 1 : 0))
                .putLong(readMicros)
                .put((byte) (marker ? 1 : 0))
                .array();
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException if the bytes have another length than {@link #BYTES}
     */
    public static CountResult fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "A result has " + BYTES + " bytes, this one has " + bytes.length + ".");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new CountResult(
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getInt(),
                buffer.get() != 0,
                buffer.getLong(),
                buffer.get() != 0);
    }
}
