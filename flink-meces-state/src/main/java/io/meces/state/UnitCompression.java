// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.IOException;
import java.nio.ByteOrder;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Compresses what {@link UnitStore#extract} writes of one store, state by state. Keeps its buffers,
 * so it is to be used for all units of a rescale. Owned by the task thread.
 */
public final class UnitCompression {

    /** Index of the state, and codec. */
    private static final int HEADER = Short.BYTES + Byte.BYTES;

    private static final int LENGTHS = 2 * Integer.BYTES;

    /** Sections with fewer bytes hardly get smaller, whatever is in them. */
    private static final int MIN_BYTES = 256;

    private final UnitCodec codec;
    private final BlockCodec[] compressors = new BlockCodec[UnitCodec.values().length];

    private byte[] scratch = new byte[0];
    private long bytesSaved;

    public UnitCompression(Compression compression) {
        this.codec = codecOf(compression);
    }

    private static UnitCodec codecOf(Compression compression) {
        return UnitCodec.valueOf(compression.name());
    }

    /**
     * Checks that this JVM can compress so, and has what does it.
     *
     * @throws IllegalStateException if it cannot
     */
    public static void checkSupported(Compression compression) {
        if (compression != Compression.NONE && ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalStateException(
                    "State cannot be compressed on a processor that is big-endian.");
        }
        if (compression != Compression.NONE) {
            try {
                codecOf(compression).newBlockCodec();
            } catch (NoClassDefFoundError e) {
                throw new IllegalStateException(
                        "meces.transition-service.compression is "
                                + compression
                                + ", whose jar is not in Flink's lib directory. On every"
                                + " TaskManager: cp opt/flink-meces-compression-*.jar"
                                + " $FLINK_HOME/lib/, from the distribution of flink-meces.",
                        e);
            }
        }
    }

    /** By how many bytes all units so far have got smaller. */
    public long bytesSaved() {
        return bytesSaved;
    }

    /**
     * Compresses what stands at the end of the output, if it pays.
     *
     * @param index of the state
     * @param start where its section begins in the output; nothing is done if it ends there, too
     */
    public void compress(int index, DataOutputSerializer out, int start) throws IOException {
        int rawStart = start + HEADER;
        int rawLength = out.length() - rawStart;
        if (codec == UnitCodec.NONE
                || rawLength < MIN_BYTES
                || rawLength > UnitCodec.MAX_RAW_LENGTH) {
            return;
        }
        UnitCodec used = codec;
        int length = compress(used, out.getSharedBuffer(), rawStart, rawLength);
        if (rawLength > (long) UnitCodec.MAX_RATIO * length) {
            // a receiver would refuse it; LZ4 cannot go so far
            used = UnitCodec.LZ4;
            length = compress(used, out.getSharedBuffer(), rawStart, rawLength);
        }
        if (length + LENGTHS < rawLength) {
            out.setPosition(start);
            out.writeShort(index);
            out.writeByte(used.ordinal());
            out.writeInt(rawLength);
            out.writeInt(length);
            out.write(scratch, 0, length);
            bytesSaved += rawLength - length - LENGTHS;
        }
    }

    private int compress(UnitCodec codec, byte[] raw, int start, int length) {
        BlockCodec compressor = compressors[codec.ordinal()];
        if (compressor == null) {
            compressor = codec.newBlockCodec();
            compressors[codec.ordinal()] = compressor;
        }
        int needed = compressor.maxCompressedLength(length);
        if (scratch.length < needed) {
            scratch = new byte[needed];
        }
        return compressor.compress(raw, start, length, scratch);
    }
}
