// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.EventTime;
import io.meces.core.command.MigrationReports;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * The steps of one rescale as to data that follows its units: when all that a subtask gives ({@link
 * UnitSender}) and gets ({@link DeferredReceiver}) in a step has gone and come, which is reported.
 * Where units bring all data with them, nothing follows, and no step begins here.
 *
 * <p>Owned by the task thread.
 */
final class DeferredMigration {

    /** How often it is looked for what time alone changes while data is to come. */
    static final long TICK_NANOS = 5_000_000;

    /** A timer for a checkpoint that is farther away would outlive tasks. */
    private static final long SOON_NANOS = 30_000_000_000L;

    private final int subtask;
    private final MigrationReports reports;
    private final TaskThread thread;
    private final PeerExchange exchange;
    private final Supplier<EventTime> time;

    /** Null if nothing follows. */
    @Nullable private final DeferredData data;

    private final UnitSender sender;
    private final DeferredReceiver<?> receiver;
    private final StepProgress progress;

    /** Whether the step that began last gives or takes something. */
    private boolean takesPart;

    /** From when on a checkpoint is likely to wait for the end of that step. */
    private long checkpointAt;

    private boolean stepDone;

    /** Whether all data has come and gone. */
    private boolean dataDone;

    private boolean reported;

    /** How many key-groups that have left are deleted. */
    private long dropped;

    /**
     * @param data null if units bring all
     * @param sender gives it
     * @param receiver takes it
     * @param time how far the subtask is in event time
     */
    DeferredMigration(
            MigrationSettings settings,
            MigrationEnvironment<?> environment,
            PeerExchange exchange,
            @Nullable DeferredData data,
            UnitSender sender,
            DeferredReceiver<?> receiver,
            Supplier<EventTime> time) {
        this.subtask = settings.subtask;
        this.reports = environment.reports();
        this.thread = environment.thread();
        this.exchange = exchange;
        this.time = time;
        this.data = data;
        this.sender = sender;
        this.receiver = receiver;
        this.progress =
                new StepProgress(
                        thread::nanoTime,
                        () -> receiver.progress() + dropped,
                        () -> reports.stepProceeds(exchange.rescale(), exchange.step()));
    }

    void startStep(StepMoves moves) {
        if (data == null) {
            return;
        }
        long checkpointAfter = moves.checkpointAfter(subtask);
        checkpointAt = thread.nanoTime() + checkpointAfter;
        stepDone = false;
        dataDone = false;
        reported = false;
        sender.startStep(moves);
        receiver.startStep(moves);
        takesPart = sender.givesData() || receiver.isIncomplete();
        progress.startStep();
        if (checkpointAfter < SOON_NANOS) {
            long step = moves.step();
            thread.executeAfter(checkpointAfter, () -> settleAhead(step), "A checkpoint waits");
        }
    }

    /** Others may still be at the step, and the checkpoint waits for them. */
    private void settleAhead(long step) throws Exception {
        if (exchange.step() == step && (dataDone || !takesPart)) {
            data.settleAhead();
        }
    }

    /** To be called every {@link #TICK_NANOS} while data is awaited. */
    void tick() throws Exception {
        receiver.tick();
        if (receiver.isIncomplete()) {
            progress.tell();
        }
    }

    /** Whether the end of the data is to be reported of the step that began last. */
    boolean reports() {
        return takesPart && !reported;
    }

    /** All units have moved, which has been reported. */
    void onStepCompleted() throws Exception {
        stepDone = true;
        dataCompleted();
    }

    /** What has been given of a key-group is gone. */
    void onDropped() throws Exception {
        dropped++;
        progress.tell();
        dataCompleted();
    }

    /** Reports the end of the data if all has come and gone, behind the report of the step. */
    void dataCompleted() throws Exception {
        if (stepDone && takesPart && !dataDone && !receiver.isIncomplete() && sender.isDataGone()) {
            dataDone = true;
            if (thread.nanoTime() - checkpointAt >= 0) {
                data.settle(this::settled);
            } else {
                settled();
            }
        }
    }

    private void settled() {
        reported = true;
        reports.dataCompleted(
                exchange.rescale(), exchange.step(), time.get(), receiver.takeStatistics());
    }
}
