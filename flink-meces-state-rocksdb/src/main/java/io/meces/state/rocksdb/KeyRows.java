// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Rows of several states, as they travel: {@code [byte 1] [short length] [name]} says of which
 * state the next ones are, {@code [byte 2] [int length] [key] [int length] [value]} is one. So they
 * need nothing else to be read.
 */
final class KeyRows {

    private static final int STATE = 1;
    private static final int ROW = 2;

    private KeyRows() {}

    /** Collects rows. Reused; used by one thread at a time. */
    static final class Writer {

        private static final int INITIAL_SIZE = 1024;

        private final DataOutputSerializer out = new DataOutputSerializer(INITIAL_SIZE);

        /** Of the last row. */
        private String current;

        int length() {
            return out.length();
        }

        void add(String state, byte[] key, byte[] value) throws IOException {
            if (!state.equals(current)) {
                byte[] name = state.getBytes(StandardCharsets.UTF_8);
                out.writeByte(STATE);
                out.writeShort(name.length);
                out.write(name);
                current = state;
            }
            out.writeByte(ROW);
            out.writeInt(key.length);
            out.write(key);
            out.writeInt(value.length);
            out.write(value);
        }

        /** All since the last call. */
        byte[] take() {
            byte[] rows = out.getCopyOfBuffer();
            out.clear();
            current = null;
            return rows;
        }
    }

    /** Gets rows. */
    interface Reader {
        void row(String state, byte[] key, byte[] value) throws Exception;
    }

    /**
     * Reads all that is left in a buffer.
     *
     * @throws IOException if these are no rows
     */
    static void read(ByteBuffer rows, Reader reader) throws Exception {
        String state = null;
        while (rows.hasRemaining()) {
            try {
                int kind = rows.get();
                if (kind == STATE) {
                    state =
                            new String(
                                    bytes(rows, rows.getShort() & 0xFFFF), StandardCharsets.UTF_8);
                    continue;
                }
                if (kind != ROW || state == null) {
                    throw new IOException("A row of state cannot begin with " + kind);
                }
                byte[] key = bytes(rows, rows.getInt());
                byte[] value = bytes(rows, rows.getInt());
                reader.row(state, key, value);
            } catch (BufferUnderflowException e) {
                throw new IOException("A row of state is cut off", e);
            }
        }
    }

    private static byte[] bytes(ByteBuffer from, int length) throws IOException {
        if (length < 0 || length > from.remaining()) {
            throw new IOException(
                    length + " bytes of a row of state, of which " + from.remaining() + " came");
        }
        byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }
}
