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

package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.courier.Lane;
import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.migration.Handover;
import io.meces.runtime.migration.Handovers;
import io.meces.runtime.transition.LocalTransitionService;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionAddress;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionOrigin;
import io.meces.runtime.transition.UnitChunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerExchangeTest {

    private static final int KB = 1024;
    private static final int PEER = 1;
    private static final long STEP = 0;

    private final JobID job = new JobID();
    private final JobVertexID vertex = new JobVertexID();
    private final UUID rescale = UUID.randomUUID();
    private final ExecutionAttemptID here = new ExecutionAttemptID();
    private final ExecutionAttemptID there = new ExecutionAttemptID();
    private final List<TransitionMessage> sent = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private Transition transition;

    private PeerExchange exchange(int chunkBytes, int windowBytes, Duration linger) {
        TransitionMetrics metrics = TransitionMetrics.unregistered();
        TransitionAddress address = new TransitionAddress("here", 1);
        LocalTransitionService service = new LocalTransitionService(address, metrics);
        service.register(there, sent::add);
        Configuration settings = new Configuration();
        settings.set(MecesOptions.TRANSITION_CHUNK_SIZE, new MemorySize(chunkBytes));
        settings.set(MecesOptions.TRANSITION_IN_FLIGHT_PER_PEER, new MemorySize(windowBytes));
        settings.set(MecesOptions.TRANSITION_CHUNK_LINGER, linger);
        transition = new Transition(service, metrics, settings);
        PeerExchange exchange =
                new PeerExchange(
                        transition, origin(here, 0), new Handovers(port()), (from, message) -> {});
        exchange.meet(Collections.singletonMap(PEER, new TaskCommand.Peer(there, address)));
        return exchange;
    }

    /** Writes down what consumers are told, and after how many messages. */
    private Handovers.Port port() {
        return new Handovers.Port() {
            @Override
            public int handedOver(Handover handover) {
                told.add(handover + " after " + sent.size());
                return 1;
            }

            @Override
            public int takenOver(int donor, Handover handover) {
                throw new UnsupportedOperationException();
            }
        };
    }

    private TransitionOrigin origin(ExecutionAttemptID attempt, int subtask) {
        return new TransitionOrigin(job, vertex, rescale, attempt, subtask);
    }

    @AfterEach
    void close() {
        transition.close();
    }

    private void acknowledge(PeerExchange exchange, long chunks) throws Exception {
        long[] next = new long[Lane.COUNT];
        next[Lane.BULK.ordinal()] = chunks;
        exchange.onMessage(
                new TransitionMessage.Builder(origin(there, PEER)).acknowledgement(here, next));
    }

    private List<Integer> unitsPerChunk() throws Exception {
        List<Integer> units = new ArrayList<>();
        for (TransitionMessage message : sent) {
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
                exchange.sendInBackground(PEER, STEP, unit++, new byte[KB]);
                more = exchange.mayPushTo(PEER);
            }
            exchange.flush(STEP, false, false);
            acknowledge(exchange, Math.min(sent.size(), acknowledged + 1));
        }

        assertThat(unitsPerChunk()).hasSizeGreaterThan(10).containsOnly(4);
    }

    @Test
    void aChunkBehindWhichNothingComesIsKnownWhenAllAheadOfItIsAcknowledged() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, STEP, 0, new byte[4 * KB]);
        exchange.sendInBackground(PEER, STEP, 1, new byte[KB]);
        assertThat(exchange.hasChunkWithNothingAhead()).isFalse();

        acknowledge(exchange, 1);
        assertThat(exchange.hasChunkWithNothingAhead()).isTrue();
        exchange.flush(STEP, false, false);

        assertThat(sent).hasSize(2);
        assertThat(exchange.hasChunkWithNothingAhead()).isFalse();
    }

    @Test
    void aWindowOfNothingLetsOneMessageGoAtATime() throws Exception {
        PeerExchange exchange = exchange(0, 0, Duration.ofHours(1));
        assertThat(exchange.mayPushTo(PEER)).isTrue();
        exchange.sendInBackground(PEER, STEP, 0, new byte[KB]);
        assertThat(exchange.mayPushTo(PEER)).isFalse();

        acknowledge(exchange, 1);
        assertThat(exchange.mayPushTo(PEER)).isTrue();
    }

    @Test
    void consumersAreToldOfUnitsBeforeTheseAreSent() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 100 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, 7, 0, new byte[KB]);
        exchange.sendInBackground(PEER, 7, 1, new byte[KB]);
        exchange.sendOnDemand(PEER, 7, 2, new byte[KB]);
        assertThat(told).containsExactly("7/1 after 0");
        exchange.flush(7, true, false);
        assertThat(told).as("once for a chunk").containsExactly("7/1 after 0", "7/2 after 1");
        assertThat(sent)
                .extracting(TransitionMessage::handover)
                .containsExactly(new Handover(7, 1), new Handover(7, 2));
    }

    @Test
    void aUnitThatFillsAChunkAloneGoesWithoutOne() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 100 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, STEP, 0, new byte[4 * KB]);
        exchange.sendInBackground(PEER, STEP, 1, new byte[KB]);
        exchange.sendInBackground(PEER, STEP, 2, new byte[4 * KB]);

        assertThat(sent)
                .extracting(TransitionMessage::kind)
                .containsExactly(TransitionMessage.Kind.UNIT, TransitionMessage.Kind.CHUNK);
        assertThat(sent).extracting(TransitionMessage::lane).containsExactly(Lane.BULK, Lane.BULK);
        assertThat(sent.get(0).unit()).isZero();
        assertThat(UnitChunk.read(sent.get(1).payload()))
                .extracting(UnitChunk.Part::unit)
                .containsExactly(1, 2);
        assertThat(exchange.hasChunks()).isFalse();
    }

    @Test
    void lessIsPushedWhileRecordsWaitForStateAndItGoesOnWithAcknowledgements() throws Exception {
        PeerExchange exchange = exchange(32 * KB, 1024 * KB, Duration.ofHours(1));
        exchange.sendOnDemand(PEER, STEP, 0, new byte[KB]);
        sent.clear();

        int unit = 1;
        for (; exchange.mayPushTo(PEER); unit++) {
            exchange.sendInBackground(PEER, STEP, unit, new byte[2 * KB]);
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
            exchange.sendInBackground(PEER, STEP, unit, new byte[2 * KB]);
        }
        exchange.sendOnDemand(PEER, STEP, 0, new byte[KB]);
        sent.clear();
        assertThat(exchange.mayPushTo(PEER)).isTrue();

        exchange.sendInBackground(PEER, STEP, 31, new byte[2 * KB]);

        assertThat(unitsPerChunk()).containsExactly(31);
        assertThat(exchange.mayPushTo(PEER)).isFalse();
    }

    @Test
    void aChunkIsSentWhenNothingIsInFlightWhoseAcknowledgementCouldMakeRoom() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ofHours(1));
        exchange.sendInBackground(PEER, STEP, 0, new byte[KB]);
        exchange.flush(STEP, false, true);
        assertThat(sent).isEmpty();
        assertThat(exchange.hasChunks()).isTrue();

        exchange.flush(STEP, false, false);

        assertThat(unitsPerChunk()).containsExactly(1);
        assertThat(exchange.hasChunks()).isFalse();
    }

    @Test
    void aChunkThatHasWaitedForItsTimeIsSent() throws Exception {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ZERO);
        exchange.sendInBackground(PEER, STEP, 0, new byte[KB]);
        exchange.flush(STEP, false, true);
        exchange.sendInBackground(PEER, STEP, 1, new byte[KB]);
        exchange.flush(STEP, false, false);

        assertThat(unitsPerChunk()).containsExactly(1, 1);
    }

    @Test
    void aWindowSmallerThanAChunkDoesNotStopTheBackground() throws Exception {
        PeerExchange exchange = exchange(64 * KB, 2 * KB, Duration.ofHours(1));
        for (int unit = 0; unit < 20; unit++) {
            assertThat(exchange.mayPushTo(PEER)).isTrue();
            exchange.sendInBackground(PEER, STEP, unit, new byte[KB / 2]);
            exchange.flush(STEP, false, exchange.mayPushTo(PEER));
            acknowledge(exchange, sent.size());
        }

        assertThat(unitsPerChunk()).containsOnly(4).hasSize(5);
    }

    @Test
    void aDonorIsToldOfAllInstalledUnitsAtOnce() {
        PeerExchange exchange = exchange(4 * KB, 10 * KB, Duration.ZERO);
        exchange.installed(PEER, 3);
        exchange.installed(PEER, 5);
        assertThat(sent).isEmpty();
        exchange.sendInstalled(STEP);
        exchange.sendInstalled(STEP);

        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).kind()).isEqualTo(TransitionMessage.Kind.INSTALLED);
        assertThat(TransitionCodec.decodeLongs(sent.get(0).payload())).containsExactly(3, 5);
    }
}
