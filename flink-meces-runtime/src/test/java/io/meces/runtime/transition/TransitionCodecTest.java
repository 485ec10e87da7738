// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.exchange.Handover;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.Test;

class TransitionCodecTest {

    private final AttemptId receiver = AttemptId.random();
    private final TransitionOrigin messages =
            new TransitionOrigin(
                    new JobID(), new JobVertexID(), UUID.randomUUID(), AttemptId.random(), 127);

    @Test
    void everyKindOfMessageComesBackAsItWas() throws Exception {
        List<TransitionMessage> all =
                Arrays.asList(
                        messages.to(receiver, PeerMessage.schema(1, new byte[] {1})),
                        messages.to(
                                receiver,
                                PeerMessage.unit(2, 2047, new byte[100_000])
                                        .withHandover(new Handover(2, 77))),
                        messages.to(receiver, PeerMessage.chunk(2, new byte[] {9, 9})),
                        messages.to(
                                receiver, PeerMessage.forward(3, 17, 1, 255, new byte[] {5, 6})),
                        messages.to(receiver, PeerMessage.passed(4, 12)),
                        messages.to(receiver, PeerMessage.aligned(5)),
                        messages.to(receiver, PeerMessage.request(6, 8)),
                        messages.to(receiver, PeerMessage.broadcastState(8, new byte[] {7, 8, 9})),
                        messages.to(receiver, PeerMessage.acknowledgement(new long[] {1, 2, 3})),
                        messages.to(receiver, PeerMessage.keyRequest(9, 17, new byte[] {4})),
                        messages.to(receiver, PeerMessage.keyData(9, 17, new byte[] {5, 6})),
                        messages.to(receiver, PeerMessage.data(9, 3, new byte[] {7, 7})),
                        messages.to(receiver, PeerMessage.dataEnd(9, 3)),
                        messages.to(receiver, PeerMessage.pace(9, true)),
                        messages.to(receiver, PeerMessage.dataInstalled(9, 3)));
        assertThat(all).hasSize(PeerMessage.Kind.values().length);
        long sequence = Long.MAX_VALUE - all.size();
        for (TransitionMessage message : all) {
            for (Priority priority : Priority.values()) {
                TransitionMessage sent = message.sequenced(priority, sequence++);
                assertThat(TransitionCodec.decode(TransitionCodec.encode(sent)))
                        .usingRecursiveComparison()
                        .isEqualTo(sent);
            }
        }
    }

    @Test
    void ofAnEarlierStepOnlyASchemaStillCounts() {
        assertThat(PeerMessage.request(6, 8).isOutdated(7)).isTrue();
        assertThat(PeerMessage.request(6, 8).isOutdated(6)).isFalse();
        assertThat(PeerMessage.schema(6, new byte[0]).isOutdated(7)).isFalse();
    }

    @Test
    void acknowledgedNumbersComeBackAsTheyWere() {
        TransitionMessage message =
                messages.to(
                        receiver, PeerMessage.acknowledgement(new long[] {0, 77, Long.MAX_VALUE}));
        assertThat(message.content().numbers()).containsExactly(0, 77, Long.MAX_VALUE);
    }

    /** Who knows it can send to the tasks of a rescale, and messages are logged. */
    @Test
    void theIdOfTheRescaleIsNotShown() {
        TransitionMessage message = messages.to(receiver, PeerMessage.aligned(1));
        assertThat(message.toString())
                .contains(message.sender().toString())
                .doesNotContain(message.rescale().toString());
    }

    @Test
    void aMessageOfAnotherProtocolIsRefused() {
        byte[] bytes = TransitionCodec.encode(messages.to(receiver, PeerMessage.aligned(1)));
        ByteBuffer.wrap(bytes).putInt(0, 0x47455420);
        assertThatThrownBy(() -> TransitionCodec.decode(bytes))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("magic");
    }

    @Test
    void aMessageOfAnotherVersionIsRefused() {
        byte[] bytes = TransitionCodec.encode(messages.to(receiver, PeerMessage.aligned(1)));
        bytes[4] = 1;
        assertThatThrownBy(() -> TransitionCodec.decode(bytes))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("version 1");
    }

    @Test
    void anyBitThatHasFlippedIsNoticed() {
        byte[] intact =
                TransitionCodec.encode(
                        messages.to(receiver, PeerMessage.unit(1, 5, new byte[] {1, 2, 3, 4, 5})));
        for (int bit = 0; bit < intact.length * 8; bit++) {
            byte[] bytes = intact.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> TransitionCodec.decode(bytes))
                    .as("bit %d", bit)
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void whatIsTooShortIsRefused() {
        byte[] intact =
                TransitionCodec.encode(messages.to(receiver, PeerMessage.unit(1, 5, new byte[10])));
        for (int length = 0; length < intact.length; length++) {
            byte[] bytes = Arrays.copyOf(intact, length);
            assertThatThrownBy(() -> TransitionCodec.decode(bytes))
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void randomBytesAreRefused() {
        long seed = Long.getLong("codec.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(180)];
            random.nextBytes(bytes);
            if (random.nextBoolean() && bytes.length > 6) {
                ByteBuffer.wrap(bytes).putInt(0, TransitionCodec.MAGIC).put(4, (byte) 2);
            }
            assertThatThrownBy(() -> TransitionCodec.decode(bytes))
                    .as("-Dcodec.seed=%s", seed)
                    .isInstanceOf(MalformedMessageException.class);
        }
    }
}
