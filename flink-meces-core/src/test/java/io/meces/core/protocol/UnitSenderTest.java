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
import io.meces.core.store.UnitState;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a donor sends of data that follows its units. Subtask 0 gives key-groups 2 and 3, of two
 * units each, to subtask 1.
 */
class UnitSenderTest {

    private static final DeferredKey KEY = new DeferredKey(new byte[] {7});

    private final Disk disk = new Disk();
    private final List<String> log = new ArrayList<>();
    private final UnitSender sender;

    @SuppressWarnings("unchecked")
    UnitSenderTest() {
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
        Waiting<MigratingElement> waiting = new Waiting<>(() -> 0, nanos -> {});
        SubtaskMigration<MigratingElement> migration =
                new SubtaskMigration<>(
                        settings,
                        new MigrationStart(false, new BitSet(), new BitSet(), false, 0, false),
                        Indifferent.of(MigrationPort.class),
                        element -> {},
                        waiting);
        sender =
                new UnitSender(
                        settings,
                        Indifferent.of(
                                MigrationEnvironment.class,
                                immediately(),
                                Indifferent.of(ResultDrain.class),
                                ToldMessages.link(this::sent)),
                        migration,
                        Indifferent.of(UnitState.class, new byte[0]),
                        disk,
                        exchange,
                        Indifferent.of(ActiveRescale.Host.class),
                        () -> log.add("gone"));
    }

    private void start() {
        sender.startStep(new StepMoves(1, new int[] {2, 3}, new int[] {0, 0}, new int[] {1, 1}, 0));
    }

    private void unitLeaves(int unit) throws Exception {
        sender.sendUnit(1, unit, true);
        log.clear();
    }

    private void pushOne() throws Exception {
        AtomicInteger left = new AtomicInteger(1);
        sender.push(() -> left.getAndDecrement() > 0);
    }

    private List<String> takeLog() {
        List<String> taken = new ArrayList<>(log);
        log.clear();
        return taken;
    }

    @Test
    void streamsAKeyGroupWhenAllOfItsUnitsHaveBeenSent() throws Exception {
        start();
        unitLeaves(4);
        assertThat(sender.hasToPush()).isFalse();
        unitLeaves(5);
        disk.chunks.addAll(Arrays.asList(new byte[3], new byte[4]));
        sender.push(() -> true);
        assertThat(takeLog())
                .containsExactly(
                        "open 2", "3 bytes of 2 to 1", "4 bytes of 2 to 1", "DATA_END of 2 to 1");
        assertThat(sender.hasToPush()).isFalse();
        sender.onDataInstalled(2);
        assertThat(takeLog()).containsExactly("drop 2");
        assertThat(sender.givesData()).as("key-group 3 is left").isTrue();
    }

    @Test
    void goesOnWhenMoreHasBeenRead() throws Exception {
        start();
        unitLeaves(4);
        unitLeaves(5);
        disk.isReading = true;
        pushOne();
        assertThat(sender.hasToPush()).as("while nothing has been read").isFalse();
        disk.chunks.add(new byte[9]);
        disk.whenMore.run();
        assertThat(sender.hasToPush()).isTrue();
        pushOne();
        assertThat(takeLog()).containsExactly("open 2", "9 bytes of 2 to 1");
    }

    @Test
    void passesAReceiverOverThatHasNoRoom() throws Exception {
        start();
        unitLeaves(4);
        unitLeaves(5);
        sender.onPace(1, false);
        assertThat(sender.hasToPush()).isFalse();
        sender.onPace(1, true);
        assertThat(sender.hasToPush()).isTrue();
        disk.chunks.add(new byte[1_000]);
        disk.chunks.add(new byte[1]);
        sender.push(() -> true);
        assertThat(takeLog()).containsExactly("open 2", "1000 bytes of 2 to 1");
        assertThat(sender.hasToPush()).as("the window is full").isFalse();
    }

    @Test
    void answersRequestsUntilTheReceiverHasPutAllIn() throws Exception {
        start();
        unitLeaves(4);
        unitLeaves(5);
        sender.onKeyRequest(1, 4, Collections.singletonList(KEY));
        assertThat(takeLog()).containsExactly("keys of unit 4 to 1");
        pushOne();
        assertThat(takeLog()).containsExactly("open 2", "DATA_END of 2 to 1");
        sender.onKeyRequest(1, 4, Collections.singletonList(KEY));
        assertThat(takeLog()).as("all has been sent").containsExactly("keys of unit 4 to 1");
        sender.onDataInstalled(2);
        takeLog();
        sender.onKeyRequest(1, 4, Collections.singletonList(KEY));
        assertThat(takeLog()).as("it has been put in").isEmpty();
    }

    @Test
    void theNextKeyGroupDoesNotWaitUntilTheLastOneHasBeenPutIn() throws Exception {
        start();
        for (int unit = 4; unit < 8; unit++) {
            unitLeaves(unit);
        }
        pushOne();
        pushOne();
        assertThat(takeLog())
                .containsExactly("open 2", "DATA_END of 2 to 1", "open 3", "DATA_END of 3 to 1");
    }

    @Test
    void nothingIsDroppedThatHasNotBeenSent() throws Exception {
        start();
        assertThatThrownBy(() -> sender.onDataInstalled(2))
                .isInstanceOf(MigrationProtocolException.class)
                .hasMessage("key-group 2 is put in, which has not been sent");
    }

    @Test
    void keysOfAUnitThatIsStillHereAreNotGiven() {
        start();
        assertThatThrownBy(() -> sender.onKeyRequest(1, 4, Collections.singletonList(KEY)))
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
        sender.startStep(new StepMoves(1, new int[] {2}, new int[] {0}, new int[] {1}, 0));
        unitLeaves(4);
        unitLeaves(5);
        pushOne();
        assertThat(sender.givesData()).isTrue();
        sender.onDataInstalled(2);
        assertThat(sender.givesData()).isFalse();
        assertThat(sender.isDataGone()).isFalse();
        assertThatThrownBy(this::start).hasMessageContaining("deleted: {2}");
        takeLog();

        disk.whenDropped.run();

        assertThat(sender.isDataGone()).isTrue();
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

    /** A thread that does all at once. */
    private static TaskThread immediately() {
        return new TaskThread() {
            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public void execute(Mail mail, String description) {
                try {
                    mail.run();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void executeAfter(long nanos, Mail mail, String description) {
                throw new AssertionError("nothing waits");
            }
        };
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
