// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PeerExchangeTest {

    private static final int KB = 1024;
    private static final int PEER = 1;
    private static final long STEP = 3;
    private static final UUID RESCALE = new UUID(1, 1);

    private final List<PeerMessage> sent = new ArrayList<>();
    private final List<Priority> priorities = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private int toRepeat;
    private long bytesInFlight;
    private boolean consumersAreGone;

    private PeerExchange exchange(int chunkBytes, int windowBytes, Duration linger) {
        PeerExchange exchange =
                new PeerExchange(
                        RESCALE,
                        new FlowControl(chunkBytes, linger.toNanos(), windowBytes, 8 * KB),
                        new Link(),
                        System::nanoTime,
                        new Handovers(new Consumers()),
                        (from, priority, message) -> {},
                        () -> toRepeat++);
        exchange.startStep(STEP, Collections.singletonMap(PEER, "peer"));
        return exchange;
    }

    /** Writes down what consumers are told, and after how many messages. */
    private final class Consumers implements Handovers.Port {
        @Override
        public int handedOver(Handover handover) throws IOException {
            if (consumersAreGone) {
                throw new IOException("their partition is released");
            }
            told.add(handover + " after " + sent.size());
            return 1;
        }

        @Override
        public int takenOver(int donor, Handover handover) {
            throw new UnsupportedOperationException();
        }
    }

    private void acknowledge(PeerExchange exchange, long chunks) throws Exception {
        long[] next = new long[Priority.COUNT];
        next[Priority.BULK.ordinal()] = chunks;
        exchange.onMessage(
                new TestEnvelope(
                        RESCALE,
                        PEER,
                        "peer",
                        Priority.CONTROL,
                        -1,
                        PeerMessage.acknowledgement(next)));
    }

    private List<Integer> unitsPerChunk() throws Exception {
        List<Integer> units = new ArrayList<>();
        for (PeerMessage message : sent) {
            units.add(UnitChunk.read(message.payload()).size());
        }
        return units;
    }

    @Test
    void chunksStayLargeWhileTheWindowOpensByLittleAndLittle() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ofHours(1));
        int unit = 0;
        for (int acknowledged = 0; acknowledged < 20; acknowledged++) {
            boolean more = exchange.mayPushTo(PEER);
            while (more) {
                exchange.sendInBackground(PEER, unit++, new byte[KB]);
                more = exchange.mayPushTo(PEER);
            }
            exchange.flush(false, false);
            acknowledge(exchange, Math.min(sent.size(), acknowledged + 1));
        }

        assertThat(unitsPerChunk()).hasSizeGreaterThan(10).containsOnly(4);
    }

    @Test
    void aChunkBehindWhichNothingComesIsKnownWhenAllAheadOfItIsAcknowledged() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, 0, new byte[4 * KB]);
        exchange.sendInBackground(PEER, 1, new byte[KB]);
        assertThat(exchange.hasChunkWithNothingAhead()).isFalse();

        acknowledge(exchange, 1);
        assertThat(exchange.hasChunkWithNothingAhead()).isTrue();
        exchange.flush(false, false);

        assertThat(sent).hasSize(2);
        assertThat(exchange.hasChunkWithNothingAhead()).isFalse();
    }

    @Test
    void aWindowOfNothingLetsOneMessageGoAtATime() throws Exception {
        PeerExchange exchange = exchange(0, 0, Duration.ofHours(1));
        assertThat(exchange.mayPushTo(PEER)).isTrue();
        exchange.sendInBackground(PEER, 0, new byte[KB]);
        assertThat(exchange.mayPushTo(PEER)).isFalse();

        acknowledge(exchange, 1);
        assertThat(exchange.mayPushTo(PEER)).isTrue();
    }

    @Test
    void consumersAreToldOfUnitsBeforeTheseAreSent() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 100 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, 0, new byte[KB]);
        exchange.sendInBackground(PEER, 1, new byte[KB]);
        exchange.sendOnDemand(PEER, 2, new byte[KB]);
        assertThat(told).containsExactly("3/1 after 0");
        exchange.flush(true, false);
        assertThat(told).as("once for a chunk").containsExactly("3/1 after 0", "3/2 after 1");
        assertThat(sent)
                .extracting(PeerMessage::handover)
                .containsExactly(new Handover(3, 1), new Handover(3, 2));
    }

    @Test
    void aUnitThatFillsAChunkAloneGoesWithoutOne() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 100 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, 0, new byte[4 * KB]);
        exchange.sendInBackground(PEER, 1, new byte[KB]);
        exchange.sendInBackground(PEER, 2, new byte[4 * KB]);

        assertThat(sent)
                .extracting(PeerMessage::kind)
                .containsExactly(PeerMessage.Kind.UNIT, PeerMessage.Kind.CHUNK);
        assertThat(priorities).containsExactly(Priority.BULK, Priority.BULK);
        assertThat(sent.get(0).unit()).isZero();
        assertThat(UnitChunk.read(sent.get(1).payload()))
                .extracting(UnitChunk.Part::unit)
                .containsExactly(1, 2);
        assertThat(exchange.hasChunks()).isFalse();
    }

    @Test
    void lessIsPushedWhileRecordsWaitForStateAndItGoesOnWithAcknowledgements() throws Exception {
        PeerExchange exchange = exchange(32 * KB, 1024 * KB, Duration.ofHours(1));
        exchange.sendOnDemand(PEER, 0, new byte[KB]);
        sent.clear();

        int unit = 1;
        for (; exchange.mayPushTo(PEER); unit++) {
            exchange.sendInBackground(PEER, unit, new byte[2 * KB]);
        }
        assertThat(unitsPerChunk()).as("one chunk at a time").containsExactly(4);
        assertThat(exchange.mayPushTo(PEER)).isFalse();

        acknowledge(exchange, 1);
        assertThat(exchange.mayPushTo(PEER)).isTrue();
    }

    @Test
    void aChunkLargerThanTheWindowThatRecordsWhichWaitLeaveIsSentWithTheNextUnit()
            throws Exception {
        PeerExchange exchange = exchange(64 * KB, 1024 * KB, Duration.ofHours(1));
        for (int unit = 1; unit <= 30; unit++) {
            exchange.sendInBackground(PEER, unit, new byte[2 * KB]);
        }
        exchange.sendOnDemand(PEER, 0, new byte[KB]);
        sent.clear();
        assertThat(exchange.mayPushTo(PEER)).isTrue();

        exchange.sendInBackground(PEER, 31, new byte[2 * KB]);

        assertThat(unitsPerChunk()).containsExactly(31);
        assertThat(exchange.mayPushTo(PEER)).isFalse();
    }

    @Test
    void aChunkIsSentWhenNothingIsInFlightWhoseAcknowledgementCouldMakeRoom() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, 0, new byte[KB]);
        exchange.flush(false, true);
        assertThat(sent).isEmpty();
        assertThat(exchange.hasChunks()).isTrue();

        exchange.flush(false, false);

        assertThat(unitsPerChunk()).containsExactly(1);
        assertThat(exchange.hasChunks()).isFalse();
    }

    @Test
    void aChunkThatHasWaitedForItsTimeIsSent() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ZERO);
        exchange.sendInBackground(PEER, 0, new byte[KB]);
        exchange.flush(false, true);
        exchange.sendInBackground(PEER, 1, new byte[KB]);
        exchange.flush(false, false);

        assertThat(unitsPerChunk()).containsExactly(1, 1);
    }

    @Test
    void aWindowSmallerThanAChunkDoesNotStopTheBackground() throws Exception {
        PeerExchange exchange = exchange(64 * KB, 2 * KB, Duration.ofHours(1));
        for (int unit = 0; unit < 20; unit++) {
            assertThat(exchange.mayPushTo(PEER)).isTrue();
            exchange.sendInBackground(PEER, unit, new byte[KB / 2]);
            exchange.flush(false, exchange.mayPushTo(PEER));
            acknowledge(exchange, sent.size());
        }

        assertThat(unitsPerChunk()).containsOnly(4).hasSize(5);
    }

    @Test
    void whateverIsSentIsToBeRepeated() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ZERO);
        exchange.sendKeys(PEER, 0, new byte[KB]);
        exchange.sendData(PEER, 0, new byte[KB]);
        exchange.sendDataEnd(PEER, 0);
        exchange.sendOnDemand(PEER, 0, new byte[KB]);
        exchange.send(PEER, PeerMessage.pace(STEP, true));
        assertThat(toRepeat).isEqualTo(5).isEqualTo(sent.size());
    }

    @Test
    void whatIsInFlightIsGivenBack() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ZERO);
        exchange.sendKeys(PEER, 0, new byte[KB]);
        exchange.sendData(PEER, 0, new byte[KB]);
        exchange.sendDataEnd(PEER, 0);
        exchange.sendOnDemand(PEER, 0, new byte[KB]);
        exchange.sendInBackground(PEER, 1, new byte[4 * KB]);
        assertThat(bytesInFlight).isEqualTo(7 * KB);

        acknowledge(exchange, 3);
        assertThat(bytesInFlight).as("what is urgent").isEqualTo(2 * KB);
        acknowledge(exchange, 3);
        assertThat(bytesInFlight).as("acknowledged twice").isEqualTo(2 * KB);
        exchange.close();
        assertThat(bytesInFlight).isZero();
    }

    @Test
    void nothingIsInFlightOfAUnitThatCannotBeSent() {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ZERO);
        consumersAreGone = true;
        assertThatThrownBy(() -> exchange.sendOnDemand(PEER, 0, new byte[KB]))
                .isInstanceOf(IOException.class);
        exchange.close();
        assertThat(bytesInFlight).isZero();
    }

    private final class Link implements PeerLink {
        private final InFlightBytes inFlight =
                new InFlightBytes(Long.MAX_VALUE, bytes -> bytesInFlight += bytes);

        @Override
        public void send(
                UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
            sent.add(message);
            priorities.add(priority);
        }

        @Override
        public void release(
                UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
            // nothing is kept
        }

        @Override
        public InFlightBytes inFlight() {
            return inFlight;
        }

        @Override
        public ExchangeMetrics metrics() {
            return UncountedExchange.INSTANCE;
        }
    }
}
