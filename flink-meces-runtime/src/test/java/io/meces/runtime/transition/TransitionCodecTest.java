/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.buffer.UnpooledByteBufAllocator;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.CorruptedFrameException;
import org.junit.jupiter.api.Test;

class TransitionCodecTest {

    private final ExecutionAttemptID sender = new ExecutionAttemptID();
    private final ExecutionAttemptID receiver = new ExecutionAttemptID();
    private final TransitionMessage.Builder messages =
            new TransitionMessage.Builder(-7, Long.MAX_VALUE, sender, 127);

    @Test
    void everyKindOfMessageComesBackAsItWas() {
        List<TransitionMessage> all =
                Arrays.asList(
                        messages.schema(receiver, 1, 3, new byte[] {1}),
                        messages.unit(receiver, 2, 2047, new byte[100_000]),
                        messages.forward(receiver, 3, 17, 1, 255, new byte[] {5, 6}),
                        messages.passed(receiver, 4, 12),
                        messages.aligned(receiver, 5),
                        messages.request(receiver, 6, 8),
                        messages.installed(receiver, 7, 9),
                        messages.broadcastState(receiver, 8, new byte[] {7, 8, 9}));
        assertThat(all).hasSize(TransitionMessage.Kind.values().length);
        for (TransitionMessage message : all) {
            assertThat(roundTrip(message)).usingRecursiveComparison().isEqualTo(message);
        }
    }

    @Test
    void aFrameOfAnotherProtocolIsRefused() {
        ByteBuf frame = frame(messages.aligned(receiver, 1));
        frame.setInt(0, 0x47455420);
        assertThatThrownBy(() -> TransitionCodec.decode(frame))
                .isInstanceOf(CorruptedFrameException.class)
                .hasMessageContaining("magic");
    }

    @Test
    void aFrameOfAnotherVersionIsRefused() {
        ByteBuf frame = frame(messages.aligned(receiver, 1));
        frame.setByte(4, 2);
        assertThatThrownBy(() -> TransitionCodec.decode(frame))
                .isInstanceOf(CorruptedFrameException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void anUnknownKindIsRefused() {
        ByteBuf frame = frame(messages.aligned(receiver, 1));
        frame.setByte(5, 99);
        assertThatThrownBy(() -> TransitionCodec.decode(frame))
                .isInstanceOf(CorruptedFrameException.class)
                .hasMessageContaining("99");
    }

    @Test
    void randomBytesAreRefusedOrDecodedButNeverCrash() {
        long seed = Long.getLong("codec.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(120)];
            random.nextBytes(bytes);
            if (random.nextBoolean() && bytes.length > 6) {
                Unpooled.wrappedBuffer(bytes).setInt(0, TransitionCodec.MAGIC).setByte(4, 1);
                bytes[5] = (byte) random.nextInt(9);
            }
            try {
                TransitionCodec.decode(Unpooled.wrappedBuffer(bytes));
            } catch (CorruptedFrameException expected) {
                assertThat(expected).as("-Dcodec.seed=%s", seed).hasMessageNotContaining("null");
            }
        }
    }

    private static TransitionMessage roundTrip(TransitionMessage message) {
        return TransitionCodec.decode(frame(message));
    }

    /** A frame without its length, as the decoder before gives it. */
    private static ByteBuf frame(TransitionMessage message) {
        ByteBuf encoded = TransitionCodec.encode(UnpooledByteBufAllocator.DEFAULT, message);
        assertThat(encoded.readInt()).isEqualTo(encoded.readableBytes());
        return encoded.copy();
    }
}
