// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys in messages, alone or with their data.
 *
 * <p>Binary form of keys: per key its length (int) and its bytes. With data: after each key the
 * length of its data (int) and the data.
 */
public final class KeyCodec {

    private KeyCodec() {}

    /** The binary form of keys. */
    public static byte[] write(List<DeferredKey> keys) {
        int bytes = 0;
        for (DeferredKey key : keys) {
            bytes += Integer.BYTES + key.bytes().length;
        }
        ByteBuffer out = ByteBuffer.allocate(bytes);
        for (DeferredKey key : keys) {
            out.putInt(key.bytes().length).put(key.bytes());
        }
        return out.array();
    }

    /**
     * The counterpart of {@link #write}.
     *
     * @throws IOException if it is none
     */
    public static List<DeferredKey> read(byte[] keys) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(keys);
        List<DeferredKey> read = new ArrayList<>();
        while (in.hasRemaining()) {
            read.add(readKey(in));
        }
        return read;
    }

    private static DeferredKey readKey(ByteBuffer in) throws IOException {
        byte[] key = new byte[length(in)];
        in.get(key);
        return new DeferredKey(key);
    }

    private static int length(ByteBuffer in) throws IOException {
        if (in.remaining() < Integer.BYTES) {
            throw new IOException("keys end within a length");
        }
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IOException(length + " bytes in a message with " + in.remaining() + " left");
        }
        return length;
    }

    /**
     * Reads keys with their data, which are views of the binary form.
     *
     * @throws IOException if it is none
     */
    public static List<KeyData> readData(byte[] keys) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(keys);
        List<KeyData> read = new ArrayList<>();
        while (in.hasRemaining()) {
            DeferredKey key = readKey(in);
            int length = length(in);
            read.add(new KeyData(key, ByteBuffer.wrap(keys, in.position(), length)));
            in.position(in.position() + length);
        }
        return read;
    }

    /** A key and what the donor has of it. */
    public static final class KeyData {
        public final DeferredKey key;
        public final ByteBuffer data;

        KeyData(DeferredKey key, ByteBuffer data) {
            this.key = key;
            this.data = data;
        }
    }

    /** Keys with data that are to be sent together. */
    public static final class Answer {
        private final List<byte[]> parts = new ArrayList<>();
        private int bytes;

        public void add(DeferredKey key, byte[] data) {
            parts.add(key.bytes());
            parts.add(data);
            bytes += 2 * Integer.BYTES + key.bytes().length + data.length;
        }

        public int bytes() {
            return bytes;
        }

        /** The binary form; the answer is empty afterwards. */
        public byte[] take() {
            ByteBuffer out = ByteBuffer.allocate(bytes);
            for (byte[] part : parts) {
                out.putInt(part.length).put(part);
            }
            parts.clear();
            bytes = 0;
            return out.array();
        }
    }
}
