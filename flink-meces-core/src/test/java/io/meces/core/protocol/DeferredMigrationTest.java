// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.MigrationReports;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.ExchangeMetrics;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.UnitState;
import io.meces.core.waiting.ReadAheadMemory;
import io.meces.core.waiting.Waiting;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.UUID;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;

/** What a subtask does for a checkpoint that is likely to wait for the end of a step. */
class DeferredMigrationTest {

    private static final UUID RESCALE = new UUID(1, 1);
    private static final int DONOR = 0;
    private static final int SUBTASK = 1;
    private static final long CHECKPOINT_AFTER = 1_000;

    private final List<String> log = new ArrayList<>();
    private long now = -CHECKPOINT_AFTER / 2;
    private PeerExchange exchange;
    private DeferredReceiver<MigratingElement> receiver;
    private DeferredMigration migration;

    /** What is to be done when a checkpoint is likely. */
    @Nullable private TaskThread.Mail later;

    /** The units of a step have moved that gives the subtask key-group 0 of subtask 0. */
    private void begin(int... ending) throws Exception {
        create();
        startStep(1, SUBTASK, CHECKPOINT_AFTER, ending);
        receiver.installer().onUnitInstalled(0);
        migration.onStepCompleted();
    }

    private void startStep(long step, int taker, long checkpointAfter, int... ending) {
        exchange.startStep(step, Collections.singletonMap(DONOR, "donor"));
        migration.startStep(
                new StepMoves(
                        step,
                        new int[] {0},
                        new int[] {DONOR},
                        new int[] {taker},
                        checkpointAfter,
                        ending));
    }

    @SuppressWarnings("unchecked")
    private void create() {
        MigrationSettings settings =
                new MigrationSettings(
                        SUBTASK,
                        8,
                        1,
                        MigrationOrder.DEMAND,
                        new FlowControl(0, 0, 1, 1),
                        MigrationSettings.Pace.OF_TASKS,
                        ReadAheadMemory.unlimited().share());
        PeerLink link =
                Indifferent.of(
                        PeerLink.class,
                        new InFlightBytes(1, change -> {}),
                        Indifferent.of(ExchangeMetrics.class));
        exchange =
                new PeerExchange(
                        RESCALE,
                        settings.flowControl,
                        link,
                        () -> now,
                        new Handovers(Indifferent.of(Handovers.Port.class)),
                        (from, priority, message) -> {},
                        () -> {});
        MigrationEnvironment<MigratingElement> environment =
                Indifferent.of(
                        MigrationEnvironment.class,
                        answering(TaskThread.class),
                        link,
                        answering(MigrationReports.class),
                        answering(MigrationInputs.class));
        MigrationStart start =
                new MigrationStart(true, new BitSet(), new BitSet(), false, 0, false);
        Waiting<MigratingElement> waiting = new Waiting<>(() -> 0, nanos -> {});
        Data data = new Data();
        receiver =
                new DeferredReceiver<>(
                        settings, environment, start, data, exchange, waiting, new Host());
        UnitSender sender =
                new UnitSender(
                        settings,
                        environment,
                        new SubtaskMigration<>(
                                settings,
                                start,
                                Indifferent.of(MigrationPort.class),
                                receiver,
                                waiting),
                        Indifferent.of(UnitState.class),
                        data,
                        exchange,
                        Indifferent.of(ActiveRescale.Host.class),
                        () -> migration.onDropped());
        migration =
                new DeferredMigration(
                        settings, environment, exchange, data, sender, receiver, () -> null);
    }

    private final class Host implements DeferredReceiver.Host<MigratingElement> {

        @Override
        public void toOperator(MigratingElement element) {
            // nothing is read
        }

        @Override
        public void closeWatermark() {
            // there is none
        }

        @Override
        public void dataCompleted() throws Exception {
            migration.dataCompleted();
        }
    }

    /** One that tells the time, and notes that data is reported to have come, and timers. */
    private <T> T answering(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, args) -> {
                            if (method.getName().equals("dataCompleted")) {
                                log.add("completed");
                            } else if (method.getName().equals("executeAfter")) {
                                assertThat((long) args[0]).isIn(0L, CHECKPOINT_AFTER);
                                later = (TaskThread.Mail) args[1];
                            }
                            return method.getReturnType() == long.class ? (Object) now : null;
                        }));
    }

    private final class Data extends UnusedData {

        @Override
        public void complete(int keyGroup, NavigableSet<DeferredKey> here, TaskThread.Mail done)
                throws Exception {
            done.run();
        }

        @Override
        public void settle(TaskThread.Mail whenSettled) throws Exception {
            log.add("settles");
            whenSettled.run();
        }

        @Override
        public void settleAhead() {
            log.add("settles ahead");
        }
    }

    @Test
    void itSettlesWhereACheckpointIsLikelyToWait() throws Exception {
        begin(DONOR);
        now += CHECKPOINT_AFTER;
        later.run();
        receiver.installer().onEnd(DONOR, 0);
        assertThat(log).containsExactly("settles", "completed");
    }

    @Test
    void itDoesNotSettleBefore() throws Exception {
        begin(DONOR);
        now += CHECKPOINT_AFTER - 1;
        receiver.installer().onEnd(DONOR, 0);
        assertThat(log).containsExactly("completed");
    }

    /** The next checkpoint may be that after all steps. */
    @Test
    void itSettlesInItsLastStep() throws Exception {
        begin(SUBTASK);
        receiver.installer().onEnd(DONOR, 0);
        assertThat(log).containsExactly("settles", "completed");
    }

    /** The checkpoint waits for others. */
    @Test
    void itSettlesAheadWhereItsDataHasComeBefore() throws Exception {
        begin(DONOR);
        receiver.installer().onEnd(DONOR, 0);
        later.run();
        assertThat(log).containsExactly("completed", "settles ahead");
    }

    @Test
    void itSettlesAheadWhereItTakesNoPart() throws Exception {
        create();
        startStep(1, 2, CHECKPOINT_AFTER);
        later.run();
        assertThat(log).containsExactly("settles ahead");
    }

    @Test
    void eachStepHasATimerOfItsOwn() throws Exception {
        create();
        startStep(1, 2, CHECKPOINT_AFTER);
        TaskThread.Mail first = later;
        startStep(2, 2, CHECKPOINT_AFTER);
        first.run();
        assertThat(log).isEmpty();
    }

    @Test
    void noTimerIsLeftForACheckpointThatIsFarAway() {
        create();
        startStep(1, 2, 60_000_000_000L);
        assertThat(later).isNull();
    }
}
