// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockOutputTest {

    private final ByteArrayOutputStream below = new ByteArrayOutputStream();
    private final Calls calls = new Calls(below);
    private final BlockOutput block = new BlockOutput().to(new DataOutputViewStreamWrapper(calls));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    @DisplayName("Whatever is written, in whatever order, comes out as Flink's view writes it")
    void writesWhatFlinkWrites(long seed) throws IOException {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        writeAtRandom(new DataOutputViewStreamWrapper(expected), new Random(seed));
        writeAtRandom(block, new Random(seed));
        block.flush();
        assertThat(below.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
    }

    @Test
    @DisplayName("It does not grow, whatever the size of what is written")
    void doesNotGrow() throws IOException {
        int capacity = block.capacity();
        writeAtRandom(block, new Random(9));
        block.writeLong(1);
        block.write(new byte[BlockOutput.BLOCK * 20]);
        assertThat(block.capacity()).isEqualTo(capacity);
    }

    @Test
    @DisplayName("Fields go on together, and large arrays by themselves")
    void callsTheTargetPerBlock() throws IOException {
        for (int i = 0; i < 10 * BlockOutput.BLOCK / Long.BYTES; i++) {
            block.writeLong(i);
        }
        assertThat(calls.count).isEqualTo(10);
        block.write(new byte[BlockOutput.BLOCK + 1]);
        assertThat(calls.count).isEqualTo(11);
        block.flush();
        assertThat(calls.count).isEqualTo(11);
    }

    private static void writeAtRandom(DataOutputView out, Random random) throws IOException {
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(random.nextInt(500) == 0 ? 100_000 : 40)];
            random.nextBytes(bytes);
            char[] chars = new char[random.nextInt(random.nextInt(500) == 0 ? 20_000 : 10)];
            Arrays.fill(chars, (char) random.nextInt(Character.MIN_SURROGATE));
            String string = new String(chars);
            switch (random.nextInt(17)) {
                case 0:
                    out.write(random.nextInt());
                    break;
                case 1:
                    out.write(bytes);
                    break;
                case 2:
                    out.write(bytes, bytes.length / 3, bytes.length / 3);
                    break;
                case 3:
                    out.writeBoolean(random.nextBoolean());
                    break;
                case 4:
                    out.writeByte(random.nextInt());
                    break;
                case 5:
                    out.writeShort(random.nextInt());
                    break;
                case 6:
                    out.writeChar(random.nextInt());
                    break;
                case 7:
                case 8:
                    out.writeInt(random.nextInt());
                    break;
                case 9:
                case 10:
                    out.writeLong(random.nextLong());
                    break;
                case 11:
                    out.writeFloat(random.nextFloat());
                    break;
                case 12:
                    out.writeDouble(random.nextDouble());
                    break;
                case 13:
                    out.writeBytes(string);
                    break;
                case 14:
                    out.writeChars(string);
                    break;
                case 15:
                    out.writeUTF(string);
                    break;
                default:
                    writeFromElsewhere(out, bytes);
            }
        }
    }

    private static void writeFromElsewhere(DataOutputView out, byte[] bytes) throws IOException {
        out.write(new DataInputDeserializer(bytes), bytes.length / 2);
        if (out instanceof BlockOutput) {
            ((BlockOutput) out)
                    .write(MemorySegmentFactory.wrap(bytes), bytes.length / 4, bytes.length / 2);
        } else {
            out.write(bytes, bytes.length / 4, bytes.length / 2);
        }
        out.skipBytesToWrite(3);
    }

    /** Counts the calls that reach it. */
    private static final class Calls extends FilterOutputStream {
        private int count;

        private Calls(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            count++;
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count++;
            out.write(bytes, offset, length);
        }
    }
}
