// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.command.StepMoves;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.waiting.ReadAheadMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;

/** Subtask 0 gives key-groups 2 and 3, of two units each, to subtask 1. */
class DeferredDonorTest {

    private static final IntPredicate ANYBODY = receiver -> true;
    private static final DeferredKey KEY = new DeferredKey(new byte[] {7});

    private final Disk disk = new Disk();
    private final List<String> log = new ArrayList<>();
    private final DeferredDonor donor;

    DeferredDonorTest() {
        MigrationSettings settings =
                new MigrationSettings(
                        0,
                        4,
                        2,
                        MigrationOrder.DEMAND,
                        new FlowControl(0, 0, 1_000, 1_000),
                        MigrationSettings.Pace.OF_TASKS,
                        ReadAheadMemory.unlimited().share());
        PeerExchange exchange = ToldMessages.exchange(settings, () -> 0, this::sent);
        donor =
                new DeferredDonor(
                        settings, disk, exchange, DeferredDonorTest::now, () -> log.add("gone"));
    }

    private void start() {
        donor.startStep(new StepMoves(1, new int[] {2, 3}, new int[] {0, 0}, new int[] {1, 1}, 0));
    }

    private List<String> takeLog() {
        List<String> taken = new ArrayList<>(log);
        log.clear();
        return taken;
    }

    @Test
    void streamsAKeyGroupWhenAllOfItsUnitsHaveBeenSent() throws Exception {
        start();
        donor.onUnitSent(4);
        assertThat(donor.canPush(ANYBODY)).isFalse();
        donor.onUnitSent(5);
        disk.chunks.addAll(Arrays.asList(new byte[3], new byte[4]));
        while (donor.canPush(ANYBODY)) {
            donor.push(ANYBODY);
        }
        assertThat(takeLog())
                .containsExactly(
                        "open 2", "3 bytes of 2 to 1", "4 bytes of 2 to 1", "DATA_END of 2 to 1");
        assertThat(donor.canPush(ANYBODY)).isFalse();
        donor.onInstalled(2);
        assertThat(takeLog()).containsExactly("drop 2");
        assertThat(donor.isDone()).as("key-group 3 is left").isFalse();
    }

    @Test
    void goesOnWhenMoreHasBeenRead() throws Exception {
        start();
        donor.onUnitSent(4);
        donor.onUnitSent(5);
        disk.isReading = true;
        donor.push(ANYBODY);
        assertThat(donor.canPush(ANYBODY)).as("while nothing has been read").isFalse();
        disk.chunks.add(new byte[9]);
        disk.whenMore.run();
        assertThat(donor.canPush(ANYBODY)).isTrue();
        donor.push(ANYBODY);
        assertThat(takeLog()).containsExactly("open 2", "9 bytes of 2 to 1");
    }

    @Test
    void passesAReceiverOverThatHasNoRoom() throws Exception {
        start();
        donor.onUnitSent(4);
        donor.onUnitSent(5);
        donor.onPace(1, false);
        assertThat(donor.canPush(ANYBODY)).isFalse();
        donor.onPace(1, true);
        assertThat(donor.canPush(ANYBODY)).isTrue();
        assertThat(donor.canPush(receiver -> false)).as("the window is full").isFalse();
    }

    @Test
    void answersRequestsUntilTheReceiverHasPutAllIn() throws Exception {
        start();
        donor.onUnitSent(4);
        donor.onUnitSent(5);
        donor.onRequest(1, 4, Collections.singletonList(KEY));
        assertThat(takeLog()).containsExactly("keys of unit 4 to 1");
        donor.push(ANYBODY);
        assertThat(takeLog()).containsExactly("open 2", "DATA_END of 2 to 1");
        donor.onRequest(1, 4, Collections.singletonList(KEY));
        assertThat(takeLog()).as("all has been sent").containsExactly("keys of unit 4 to 1");
        donor.onInstalled(2);
        takeLog();
        donor.onRequest(1, 4, Collections.singletonList(KEY));
        assertThat(takeLog()).as("it has been put in").isEmpty();
    }

    @Test
    void theNextKeyGroupDoesNotWaitUntilTheLastOneHasBeenPutIn() throws Exception {
        start();
        for (int unit = 4; unit < 8; unit++) {
            donor.onUnitSent(unit);
        }
        donor.push(ANYBODY);
        donor.push(ANYBODY);
        assertThat(takeLog())
                .containsExactly("open 2", "DATA_END of 2 to 1", "open 3", "DATA_END of 3 to 1");
    }

    @Test
    void nothingIsDroppedThatHasNotBeenSent() throws Exception {
        start();
        assertThatThrownBy(() -> donor.onInstalled(2))
                .isInstanceOf(MigrationProtocolException.class)
                .hasMessage("key-group 2 is put in, which has not been sent");
    }

    @Test
    void keysOfAUnitThatIsStillHereAreNotGiven() {
        start();
        assertThatThrownBy(() -> donor.onRequest(1, 4, Collections.singletonList(KEY)))
                .isInstanceOf(MigrationProtocolException.class)
                .hasMessageContaining("unit 4 are asked for, which has not left");
    }

    @Test
    void aStepDoesNotBeginBeforeTheDataOfTheLastHasBeenGiven() {
        start();
        assertThatThrownBy(this::start)
                .isInstanceOf(MigrationProtocolException.class)
                .hasMessageContaining("key-group 2 to 1");
    }

    @Test
    void nothingIsLeftWhenAllHasBeenDeleted() throws Exception {
        donor.startStep(new StepMoves(1, new int[] {2}, new int[] {0}, new int[] {1}, 0));
        donor.onUnitSent(4);
        donor.onUnitSent(5);
        donor.push(ANYBODY);
        assertThat(donor.isDone()).isFalse();
        donor.onInstalled(2);
        assertThat(donor.isDone()).isTrue();
        assertThat(donor.isGone()).isFalse();
        assertThatThrownBy(this::start).hasMessageContaining("deleted: {2}");
        takeLog();

        disk.whenDropped.run();

        assertThat(donor.isGone()).isTrue();
        assertThat(takeLog()).containsExactly("gone");
        start();
    }

    private void sent(PeerMessage message, int receiver) {
        String of = message.unit() + " to " + receiver;
        switch (message.kind()) {
            case KEY_DATA:
                log.add("keys of unit " + of);
                break;
            case DATA:
                log.add(message.payload().length + " bytes of " + of);
                break;
            default:
                log.add(message.kind() + " of " + of);
        }
    }

    private static void now(TaskThread.Mail mail) {
        try {
            mail.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** What the donor has. */
    private final class Disk extends UnusedData implements DeferredData.Stream {
        private final ArrayDeque<byte[]> chunks = new ArrayDeque<>();
        private Runnable whenMore;
        private boolean isReading;
        private TaskThread.Mail whenDropped = () -> {};

        @Override
        public void fetch(int keyGroup, DeferredKey key, Consumer<byte[]> whenRead) {
            whenRead.accept(new byte[5]);
        }

        @Override
        public Stream stream(int keyGroup, long chunkBytes, Runnable more) {
            log.add("open " + keyGroup);
            whenMore = more;
            return this;
        }

        @Override
        public void drop(int keyGroup, TaskThread.Mail whenGone) {
            log.add("drop " + keyGroup);
            whenDropped = whenGone;
        }

        @Nullable
        @Override
        public byte[] poll() {
            return chunks.poll();
        }

        @Override
        public boolean isAtEnd() {
            return !isReading && chunks.isEmpty();
        }
    }
}
