// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.TransitionAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bytes from anybody harm nobody: the seeds, and many of them that were spoilt at random. {@link
 * MalformedInputFuzz} searches longer.
 */
@Timeout(600)
class MalformedInputTest {

    private static final int INPUTS = 50_000;

    @Test
    void whatPeersSendIsTaken() throws IOException {
        MalformedInput.streams().forEach(MalformedInput::feedPipeline);
        MalformedInput.messages().forEach(MalformedInput::feedCodec);
        MalformedInput.chunks().forEach(MalformedInput::feedChunk);
    }

    @Test
    void spoiltInputIsRefused() throws IOException {
        spoil(MalformedInput.streams(), MalformedInput::feedPipeline);
        spoil(MalformedInput.messages(), MalformedInput::feedCodec);
        spoil(MalformedInput.chunks(), MalformedInput::feedChunk);
    }

    private static void spoil(List<byte[]> seeds, Consumer<byte[]> target) {
        long seed = Long.getLong("malformed.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < INPUTS; i++) {
            byte[] input = spoilt(seeds, random);
            try {
                target.accept(input);
            } catch (Throwable t) {
                throw new AssertionError(
                        "-Dmalformed.seed=" + seed + ": " + Arrays.toString(input), t);
            }
        }
    }

    private static byte[] spoilt(List<byte[]> seeds, Random random) {
        byte[] one = seeds.get(random.nextInt(seeds.size()));
        byte[] other = seeds.get(random.nextInt(seeds.size()));
        int cut = random.nextInt(one.length + 1);
        byte[] input =
                ByteBuffer.allocate(cut + other.length)
                        .put(random.nextBoolean() ? one : Arrays.copyOf(one, cut), 0, cut)
                        .put(other)
                        .array();
        for (int flips = random.nextInt(4); flips > 0 && input.length > 0; flips--) {
            int at = random.nextInt(input.length);
            switch (random.nextInt(3)) {
                case 0:
                    input[at] ^= (byte) (1 << random.nextInt(8));
                    break;
                case 1:
                    input[at] = (byte) random.nextInt();
                    break;
                default:
                    if (at + 4 <= input.length) {
                        ByteBuffer.wrap(input).putInt(at, EDGES[random.nextInt(EDGES.length)]);
                    }
            }
        }
        return input;
    }

    private static final int[] EDGES = {
        0, 1, -1, 4, Integer.MAX_VALUE, Integer.MIN_VALUE, TransitionCodec.MAX_LENGTH, 124, 123, 125
    };

    @Test
    void aClaimOfMuchAllocatesLittle() {
        TransitionMetrics metrics = TransitionMetrics.unregistered();
        LocalTransitionService local =
                new LocalTransitionService(new TransitionAddress("here", 1), metrics);
        FrameDecoder decoder = new FrameDecoder(local, metrics, proven -> {});
        EmbeddedChannel channel = new EmbeddedChannel(decoder);
        byte[] beginning = MalformedInput.claiming(TransitionCodec.MAX_LENGTH);
        channel.writeInbound(Unpooled.wrappedBuffer(beginning));
        assertThat(decoder.bytesHeld()).as("of a stranger").isLessThan(1_000);
        channel.finishAndReleaseAll();

        local.register(MalformedInput.RECEIVER, message -> {});
        FrameDecoder known = new FrameDecoder(local, metrics, proven -> {});
        channel = new EmbeddedChannel(known);
        channel.writeInbound(Unpooled.wrappedBuffer(beginning));
        assertThat(known.bytesHeld())
                .as("of one who knows a receiver")
                .isBetween(FrameDecoder.FIRST_ALLOCATION, FrameDecoder.FIRST_ALLOCATION + 1_000);
        channel.finishAndReleaseAll();
    }
}
