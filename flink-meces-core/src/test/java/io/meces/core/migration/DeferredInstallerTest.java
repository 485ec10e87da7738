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

package io.meces.core.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.messaging.Priority;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What a donor is told of the room for chunks. Subtask 1 takes key-group 0, which is one unit, from
 * subtask 0.
 */
class DeferredInstallerTest {

    private static final int DONOR = 0;
    private static final int WINDOW_BYTES = 10;

    private final List<String> paces = new ArrayList<>();
    private final Queue<TaskThread.Mail> beingPutIn = new ArrayDeque<>();
    private final DeferredInstaller installer = installer();
    private long now;

    private DeferredInstaller installer() {
        MigrationSettings settings =
                new MigrationSettings(
                        1,
                        8,
                        1,
                        MigrationOrder.DEMAND,
                        new FlowControl(0, 0, WINDOW_BYTES, WINDOW_BYTES),
                        MigrationSettings.Pace.OF_TASKS,
                        ReadAheadMemory.unlimited().share());
        PeerExchange exchange =
                new PeerExchange(
                        new UUID(1, 1),
                        settings.flowControl,
                        new Link(),
                        () -> now,
                        new Handovers(Indifferent.of(Handovers.Port.class)),
                        (from, priority, message) -> {});
        return new DeferredInstaller(
                settings,
                new Data(),
                exchange,
                () -> now,
                Indifferent.of(DeferredInstaller.Listener.class));
    }

    private void begin(long step) throws Exception {
        installer.startStep(new StepMoves(step, new int[] {0}, new int[] {DONOR}, new int[] {1}));
        installer.onUnitInstalled(0);
    }

    private void putAllIn() throws Exception {
        while (!beingPutIn.isEmpty()) {
            beingPutIn.remove().run();
        }
    }

    @Test
    void aDonorGoesOnWhenThereIsRoomAgain() throws Exception {
        begin(1);
        installer.onChunk(DONOR, 0, new byte[WINDOW_BYTES]);
        assertThat(paces).containsExactly("pause");
        now += 1_000_000_000;
        putAllIn();
        assertThat(paces).containsExactly("pause", "go on");
    }

    /** Its donors do so, too: whoever was told to pause in the step before has forgotten it. */
    @Test
    void aStepBeginsAsIfNoDonorHadBeenToldToPause() throws Exception {
        begin(1);
        installer.onChunk(DONOR, 0, new byte[WINDOW_BYTES]);
        installer.onEnd(DONOR, 0);
        putAllIn();
        assertThat(installer.isDone()).isTrue();
        assertThat(paces).containsExactly("pause");

        now += 1_000_000_000;
        begin(2);
        installer.onChunk(DONOR, 0, new byte[WINDOW_BYTES]);
        assertThat(paces).containsExactly("pause", "pause");
    }

    private final class Link implements PeerLink {

        @Override
        public void send(
                UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
            if (message.kind() == PeerMessage.Kind.PACE) {
                paces.add(message.payload()[0] == 0 ? "pause" : "go on");
            }
        }

        @Override
        public void release(
                UUID rescale, int peer, Priority priority, long sequence, PeerMessage message) {
            // nothing is kept
        }

        @Override
        public InFlightBytes inFlight() {
            return new InFlightBytes(1, change -> {});
        }

        @Override
        public ExchangeMetrics metrics() {
            return Indifferent.of(ExchangeMetrics.class);
        }
    }

    /** Puts a chunk in when the test says so. */
    private final class Data extends UnusedData {

        @Override
        public void installChunk(
                int donor,
                int keyGroup,
                ByteBuffer chunk,
                NavigableSet<DeferredKey> here,
                TaskThread.Mail whenInstalled) {
            beingPutIn.add(whenInstalled);
        }

        @Override
        public void complete(
                int donor, int keyGroup, NavigableSet<DeferredKey> here, TaskThread.Mail done)
                throws Exception {
            done.run();
        }
    }
}
