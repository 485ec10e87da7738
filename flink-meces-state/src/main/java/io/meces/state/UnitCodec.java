// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;

/**
 * How the entries of one state in a unit are encoded, by the byte that is written before them.
 *
 * <p>The bytes are written as {@code [int raw length] [int length] [bytes]}, except for {@link
 * #NONE}, which has no lengths. The byte is the ordinal number.
 */
enum UnitCodec {
    NONE,
    LZ4,
    ZSTD;

    /**
     * Raw lengths up to here are compressed, and accepted. Above, an array for the result might be
     * too large.
     */
    static final int MAX_RAW_LENGTH = 512 << 20;

    /**
     * To how many bytes one can unfold, at most: so what is allocated is bounded by what has come.
     * It is what LZ4 can do. Zstandard can do more, and must not here.
     */
    static final int MAX_RATIO = 255;

    private static final UnitCodec[] ALL = values();

    /**
     * The codec with that number.
     *
     * @throws IOException if there is none
     */
    static UnitCodec of(int number) throws IOException {
        if (number < 0 || number >= ALL.length) {
            throw new IOException("No codec has the number " + number);
        }
        return ALL[number];
    }

    /**
     * What compresses and decompresses so, with buffers of its own.
     *
     * @throws NoClassDefFoundError if the library that does is not on the class path
     */
    BlockCodec newBlockCodec() {
        if (this == NONE) {
            throw new IllegalStateException(this + " leaves the bytes as they are");
        }
        return this == LZ4 ? Aircompressor.lz4() : Aircompressor.zstd();
    }

    /**
     * Reads lengths and bytes, and decompresses them.
     *
     * @param decompressor of this codec
     * @throws IOException if they are not what a donor can have written; nothing was allocated by
     *     lengths that make no sense
     */
    static byte[] read(DataInputDeserializer in, BlockCodec decompressor) throws IOException {
        int rawLength = in.readInt();
        int length = in.readInt();
        if (length <= 0
                || rawLength <= 0
                || rawLength > MAX_RAW_LENGTH
                || rawLength > (long) MAX_RATIO * length) {
            throw new IOException(rawLength + " bytes, compressed to " + length);
        }
        if (length > in.available()) {
            throw new EOFException(
                    length + " compressed bytes, of which " + in.available() + " came");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        byte[] raw = new byte[rawLength];
        int decompressed;
        try {
            decompressed = decompressor.decompress(bytes, raw);
        } catch (RuntimeException e) {
            throw new IOException(length + " bytes cannot be decompressed", e);
        }
        if (decompressed != rawLength) {
            throw new IOException(
                    decompressed + " bytes were decompressed instead of " + rawLength);
        }
        return raw;
    }
}
