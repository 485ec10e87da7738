// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Units that travel to one peer in one message: small units cost one I/O together, not one each.
 *
 * <p>Binary form: per unit its number (int), the length of its state in bytes (int), its state.
 *
 * <p>Owned by the task thread.
 */
public final class UnitChunk {

    private static final int HEADER = 2 * Integer.BYTES;

    private final Map<Integer, byte[]> units = new LinkedHashMap<>();
    private long bytes;
    private long oldestNanos;

    /** Adds a unit that is not in the chunk. */
    public void add(int unit, byte[] state, long nowNanos) {
        if (units.isEmpty()) {
            oldestNanos = nowNanos;
        }
        units.put(unit, state);
        bytes += state.length;
    }

    /** Takes a unit out again; null if it is not in here. */
    @Nullable
    public byte[] remove(int unit) {
        byte[] state = units.remove(unit);
        if (state != null) {
            bytes -= state.length;
        }
        return state;
    }

    public boolean isEmpty() {
        return units.isEmpty();
    }

    /** Bytes of state. */
    public long bytes() {
        return bytes;
    }

    /** How long its first unit has been waiting. */
    public long ageNanos(long nowNanos) {
        return nowNanos - oldestNanos;
    }

    /** The binary form of all units; the chunk is empty afterwards. */
    public byte[] take() {
        ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(bytes + (long) HEADER * units.size()));
        units.forEach((unit, state) -> out.putInt(unit).putInt(state.length).put(state));
        units.clear();
        bytes = 0;
        return out.array();
    }

    /**
     * Reads the binary form. The parts are views of it, not copies.
     *
     * @throws IOException if it is none
     */
    public static List<Part> read(byte[] chunk) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(chunk);
        List<Part> parts = new ArrayList<>();
        while (in.hasRemaining()) {
            if (in.remaining() < HEADER) {
                throw new IOException("a chunk ends within the header of a unit");
            }
            int unit = in.getInt();
            int length = in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new IOException(
                        "unit " + unit + " of " + length + " bytes in a chunk with fewer");
            }
            parts.add(new Part(unit, chunk, in.position(), length));
            in.position(in.position() + length);
        }
        return parts;
    }

    /** One unit of a chunk. */
    public static final class Part {
        private final int unit;
        private final byte[] chunk;
        private final int offset;
        private final int length;

        Part(int unit, byte[] chunk, int offset, int length) {
            this.unit = unit;
            this.chunk = chunk;
            this.offset = offset;
            this.length = length;
        }

        public int unit() {
            return unit;
        }

        /** How long its state is, in bytes. */
        public int length() {
            return length;
        }

        /** Its state; ends where that ends. */
        public ByteBuffer state() {
            return ByteBuffer.wrap(chunk, offset, length);
        }
    }
}
