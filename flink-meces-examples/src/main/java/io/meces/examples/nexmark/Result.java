// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import io.meces.examples.keycount.EpochMicros;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A line that a query gives, or a marker that has come through. The public fields and the
 * constructor without arguments make it a POJO of Flink.
 */
public final class Result {
    private static final int HEADER_BYTES = 1 + 2 * Long.BYTES;

    /** Whether it is a marker: its latency is a sample, its line no result. */
    public boolean marker;

    /**
     * When the marker, or the last event on which the line depends, was to be sent, in µs since the
     * epoch.
     */
    public long timeMicros;

    /** When the query gave it, in µs since the epoch. */
    public long emittedMicros;

    /** The values of the line, separated by spaces; of a marker, its number. */
    public String line;

    /** For Flink. */
    public Result() {}

    private Result(boolean marker, long timeMicros, long emittedMicros, String line) {
        this.marker = marker;
        this.timeMicros = timeMicros;
        this.emittedMicros = emittedMicros;
        this.line = line;
    }

    /** A line that is given now. */
    static Result line(long timeMicros, Object... values) {
        StringBuilder line = new StringBuilder();
        for (Object value : values) {
            line.append(line.length() == 0 ? "" : " ").append(value);
        }
        return new Result(false, timeMicros, EpochMicros.now(), line.toString());
    }

    /** A marker that comes out now. */
    static Result marker(Marker marker) {
        return new Result(true, marker.timeMicros, EpochMicros.now(), Long.toString(marker.number));
    }

    /** The latency of a marker, or the event-time latency of a line, in µs. */
    public long latencyMicros() {
        return emittedMicros - timeMicros;
    }

    /** The result as it stands in Kafka. */
    public byte[] toBytes() {
        byte[] text = line.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEADER_BYTES + text.length)
                .put((byte) (marker ? 1 : 0))
                .putLong(timeMicros)
                .putLong(emittedMicros)
                .put(text)
                .array();
    }

    /**
     * Reads a result.
     *
     * @throws IllegalArgumentException if there are too few bytes
     */
    public static Result fromBytes(byte[] bytes) {
        if (bytes.length < HEADER_BYTES) {
            throw new IllegalArgumentException(
                    "A result has "
                            + HEADER_BYTES
                            + " bytes at least, this one has "
                            + bytes.length
                            + ".");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Result(
                buffer.get() != 0,
                buffer.getLong(),
                buffer.getLong(),
                new String(
                        bytes, HEADER_BYTES, bytes.length - HEADER_BYTES, StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return (marker ? "marker " : "") + line;
    }
}
