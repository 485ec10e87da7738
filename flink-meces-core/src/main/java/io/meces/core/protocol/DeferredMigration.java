// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.EventTime;
import io.meces.core.command.MigrationReports;
import io.meces.core.command.StepMoves;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.waiting.Waiting;
import javax.annotation.Nullable;

/**
 * An elastic subtask's part in one rescale, of data that follows its units: what it gives ({@link
 * DeferredDonor}), what it gets ({@link DeferredReceiver}), and when all of a step has come and
 * gone, which is reported. Where units bring all data with them, nothing follows: then no key-group
 * is ever given or taken here, and no element waits.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
final class DeferredMigration<E extends MigratingElement> {

    /** How often it is looked for what time alone changes while data is to come. */
    static final long TICK_NANOS = 5_000_000;

    /** A timer for a checkpoint that is farther away would outlive tasks. */
    private static final long SOON_NANOS = 30_000_000_000L;

    private final int subtask;
    private final MigrationReports reports;
    private final TaskThread thread;
    private final PeerExchange exchange;
    private final Host<E> host;

    /** Null if nothing follows. */
    @Nullable private final DeferredData data;

    private final DeferredDonor donor;
    private final DeferredReceiver<E> receiver;
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

    /** The driver of the subtask. */
    interface Host<E> extends DeferredReceiver.Host<E> {

        /** How far the subtask is in event time. */
        EventTime time();

        /** Looks for what there is to do now. */
        void afterProgress() throws Exception;
    }

    /**
     * @param data null if units bring all
     */
    DeferredMigration(
            MigrationSettings settings,
            MigrationEnvironment<E> environment,
            PeerExchange exchange,
            @Nullable DeferredData data,
            MigrationStart start,
            Waiting<E> waiting,
            Host<E> host) {
        this.subtask = settings.subtask;
        this.reports = environment.reports();
        this.thread = environment.thread();
        this.exchange = exchange;
        this.host = host;
        this.data = data;
        this.donor = new DeferredDonor(settings, data, exchange, this::later, this::dropped);
        this.receiver =
                new DeferredReceiver<>(settings, environment, start, data, exchange, waiting, host);
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
        donor.startStep(moves);
        receiver.startStep(moves);
        takesPart = isToGive() || isAwaited();
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

    /** What is given. */
    DeferredDonor donor() {
        return donor;
    }

    /** What comes. */
    DeferredReceiver<E> receiver() {
        return receiver;
    }

    /** Whether data is still to come. */
    boolean isAwaited() {
        return receiver.isIncomplete();
    }

    /** Whether data is still to be given, or to be put in by whoever got it. */
    boolean isToGive() {
        return !donor.isDone();
    }

    /** To be called every {@link #TICK_NANOS} while data is awaited. */
    void tick() throws Exception {
        receiver.tick();
        if (isAwaited()) {
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

    void close() {
        donor.close();
        receiver.close();
    }

    // ------------------------------------------------------------------------
    //  What the donor asks for
    // ------------------------------------------------------------------------

    /** What has been given of a key-group is gone. */
    private void dropped() throws Exception {
        dropped++;
        progress.tell();
        dataCompleted();
    }

    private void later(TaskThread.Mail mail) {
        thread.execute(
                () -> {
                    mail.run();
                    host.afterProgress();
                },
                "Data to give");
    }

    // ------------------------------------------------------------------------
    //  The end of a step
    // ------------------------------------------------------------------------

    /** Reports the end of the data if all has come and gone, behind the report of the step. */
    void dataCompleted() throws Exception {
        if (stepDone && takesPart && !dataDone && !isAwaited() && donor.isGone()) {
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
                exchange.rescale(), exchange.step(), host.time(), receiver.takeStatistics());
    }
}
