// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentWritable;

/**
 * Collects what serializers write, so that the view below is called once per block and not for each
 * field: behind the view of a snapshot there are three streams, of which Java 8 calls each for
 * every byte of a {@code long}. What is larger than a block goes past it, so that it never grows,
 * however large an entry is.
 *
 * <p>What has been written is below only after {@link #flush()}. Owned by one thread.
 */
final class BlockOutput implements DataOutputView, MemorySegmentWritable {

    /** A block goes on when it has so many bytes. */
    static final int BLOCK = 32 * 1024;

    /** What a single value of a fixed length may add to a block that is not yet full. */
    private static final int MARGIN = Long.BYTES;

    // Not its superclass: who meets one may go back in it, where a block may have gone on.
    private final DataOutputSerializer block = new DataOutputSerializer(BLOCK + MARGIN);
    private DataOutputView target;

    /** From now on it writes there; what has been collected has been flushed. */
    BlockOutput to(DataOutputView newTarget) {
        target = newTarget;
        return this;
    }

    /** Writes what has been collected to the target, which it does not flush. */
    void flush() throws IOException {
        if (block.length() > 0) {
            target.write(block.getSharedBuffer(), 0, block.length());
            block.clear();
        }
    }

    /** The bytes that are allocated for what is collected. */
    int capacity() {
        return block.getSharedBuffer().length;
    }

    private void flushIfFull() throws IOException {
        if (block.length() >= BLOCK) {
            flush();
        }
    }

    /** Whether so many bytes have to go past the block, which is empty then. If not, they fit. */
    private boolean exceeds(long bytes) throws IOException {
        if (bytes > BLOCK - block.length()) {
            flush();
        }
        return bytes > BLOCK;
    }

    @Override
    public void write(int b) throws IOException {
        block.write(b);
        flushIfFull();
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (exceeds(count)) {
            target.write(bytes, offset, count);
        } else {
            block.write(bytes, offset, count);
        }
    }

    @Override
    public void write(MemorySegment segment, int offset, int count) throws IOException {
        int end = offset + count;
        for (int from = offset; from < end; from += BLOCK) {
            int part = Math.min(BLOCK, end - from);
            exceeds(part);
            block.write(segment, from, part);
        }
    }

    @Override
    public void write(DataInputView source, int count) throws IOException {
        flush();
        target.write(source, count);
    }

    @Override
    public void skipBytesToWrite(int count) throws IOException {
        flush();
        target.skipBytesToWrite(count);
    }

    @Override
    public void writeBoolean(boolean v) throws IOException {
        write(v ? 1 : 0);
    }

    @Override
    public void writeByte(int v) throws IOException {
        write(v);
    }

    @Override
    public void writeShort(int v) throws IOException {
        block.writeShort(v);
        flushIfFull();
    }

    @Override
    public void writeChar(int v) throws IOException {
        block.writeChar(v);
        flushIfFull();
    }

    @Override
    public void writeInt(int v) throws IOException {
        block.writeInt(v);
        flushIfFull();
    }

    @Override
    public void writeLong(long v) throws IOException {
        block.writeLong(v);
        flushIfFull();
    }

    @Override
    public void writeFloat(float v) throws IOException {
        writeInt(Float.floatToIntBits(v));
    }

    @Override
    public void writeDouble(double v) throws IOException {
        writeLong(Double.doubleToLongBits(v));
    }

    @Override
    public void writeBytes(String s) throws IOException {
        for (int i = 0; i < s.length(); i++) {
            write(s.charAt(i));
        }
    }

    @Override
    public void writeChars(String s) throws IOException {
        for (int i = 0; i < s.length(); i++) {
            writeChar(s.charAt(i));
        }
    }

    @Override
    public void writeUTF(String s) throws IOException {
        if (exceeds(Short.BYTES + 3L * s.length())) {
            target.writeUTF(s);
        } else {
            block.writeUTF(s);
        }
    }
}
