// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.checkpoint.AbsentAcknowledgements;
import io.meces.core.checkpoint.HeldCheckpoints;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.id.AttemptId;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * The checkpoint coordinator of a JobManager, with one checkpoint at a time, as Flink's is, behind
 * the product's {@link HeldCheckpoints}.
 */
final class Checkpoints implements HeldCheckpoints.Coordinator<Checkpoint> {

    /** Flink's default. */
    private static final long EXPIRY_NANOS = 600_000_000_000L;

    /** A rescale looks every 2 ms whether it has ended, and does not abort it. */
    private static final long EXPIRY_OF_SAVEPOINTS_NANOS = EXPIRY_NANOS / 10;

    /** All stand unless a task takes part in one at the very moment: many are aborted. */
    private static final Duration PATIENCE = Duration.ZERO;

    /** Up to 1 ms. */
    private static final int BESIDE = 10;

    private final JobMaster master;
    private final Simulation world;
    private final Wire hook;
    private final HeldCheckpoints<Checkpoint> gate;
    private final AbsentAcknowledgements<Checkpoint> acknowledgements =
            new AbsentAcknowledgements<>(new Absent());

    @Nullable private Checkpoint pending;

    /** Whether one has been completed since the last one that was aborted as it stood. */
    private boolean hasRecoveryPoint = true;

    /** Who has asked for another one while one is pending. */
    @Nullable private CompletableFuture<Checkpoint> queued;

    Checkpoints(JobMaster master) {
        this.master = master;
        this.world = master.world;
        this.hook = world.wire();
        this.gate = new HeldCheckpoints<>(this, this::beside, PATIENCE);
    }

    /** Some time later, unless the JobManager is gone. */
    private void later(Runnable action) {
        hook.send(
                () -> {
                    if (master.isAlive()) {
                        action.run();
                    }
                });
    }

    /** In another thread of the JobManager: soon, in any order. */
    private void beside(Runnable action) {
        world.at(
                world.now() + Wire.delay(world.random(), BESIDE),
                () -> {
                    if (master.isAlive()) {
                        action.run();
                    }
                });
    }

    // ------------------------------------------------------------------------
    //  Coordinator
    // ------------------------------------------------------------------------

    /** Triggers a checkpoint if there is none, and all tasks run. */
    void triggerIfIdle() {
        triggerIfIdle(false);
    }

    /** The same with a savepoint, as of a later Flink: the job does not restart from it. */
    void saveIfIdle() {
        triggerIfIdle(true);
    }

    private void triggerIfIdle(boolean savepoint) {
        if (pending != null || !master.isEverythingRunning()) {
            return;
        }
        Checkpoint checkpoint =
                new Checkpoint(
                        world.nextCheckpoint(),
                        world.oracle().upstreams(),
                        master.attempts(),
                        savepoint);
        pending = checkpoint;
        world.at(
                world.now() + (savepoint ? EXPIRY_OF_SAVEPOINTS_NANOS : EXPIRY_NANOS),
                () -> {
                    if (isPending(checkpoint)) {
                        // a source that has ended may not have heard of it
                        Ledger.check(
                                !checkpoint.begun || master.job().hasFinishedSource(),
                                "checkpoint %d waits for %d subtasks in vain",
                                checkpoint.id,
                                checkpoint.missing.size());
                        abort("expired");
                    }
                });
        later(
                () -> {
                    if (isPending(checkpoint)) {
                        arrive(checkpoint);
                    }
                });
    }

    /** Whether a checkpoint may still be completed. */
    boolean stands(long id) {
        return pending != null && pending.id == id && master.isAlive();
    }

    private boolean isPending(Checkpoint checkpoint) {
        return pending == checkpoint && master.isAlive();
    }

    private void arrive(Checkpoint checkpoint) {
        CompletableFuture<?> passed =
                gate.arrive(
                        checkpoint.id,
                        this::prepare,
                        () -> {
                            master.storeInto(checkpoint.snapshot);
                            return checkpoint.snapshot;
                        });
        Executor executor = passed.isDone() ? Runnable::run : this::later;
        passed.whenCompleteAsync(
                (stored, failure) -> {
                    if (isPending(checkpoint)) {
                        begin(checkpoint, failure);
                    }
                },
                executor);
    }

    private void prepare(Checkpoint checkpoint) {
        if (!acknowledgements.awaitsAllActive(checkpoint)) {
            throw new CompletionException(declined("a subtask has been replaced"));
        }
        checkpoint.snapshot.carried = master.carried();
    }

    private void begin(Checkpoint checkpoint, @Nullable Throwable failure) {
        if (failure != null) {
            abort(failure.toString());
            return;
        }
        world.trace("checkpoint %d begins", checkpoint.id);
        checkpoint.begun = true;
        if (isUnaligned() && !checkpoint.savepoint && gate.mayBeUnaligned(checkpoint.id)) {
            checkpoint.snapshot.inFlight = master.assignment();
            master.job().checkNothingOfRescaleInFlight(checkpoint.id);
        }
        for (SimulatedSource source : master.job().sources) {
            source.mail(
                    "take checkpoint " + checkpoint.id,
                    () -> source.takeCheckpoint(checkpoint),
                    () -> {},
                    () -> decline(checkpoint.id));
        }
    }

    void acknowledge(Checkpoint checkpoint, SimulatedTask task, Consumer<Snapshot> part) {
        acknowledge(checkpoint.id, task, part);
    }

    void acknowledge(long id, SimulatedTask task, Consumer<Snapshot> part) {
        Checkpoint checkpoint = pending;
        if (checkpoint == null || checkpoint.id != id || !checkpoint.missing.remove(task.attempt)) {
            return;
        }
        part.accept(checkpoint.snapshot);
        gate.onAcknowledged(id, 0);
        acknowledgements.onAcknowledged(id);
        if (checkpoint.missing.isEmpty()) {
            hook.send(
                    () -> {
                        if (isPending(checkpoint)) {
                            complete(checkpoint);
                        }
                    });
        }
    }

    private void complete(Checkpoint checkpoint) {
        world.trace("checkpoint %d is complete", checkpoint.id);
        if (checkpoint.snapshot.inFlight != null) {
            master.job().checkNothingOfRescaleInFlight(checkpoint.id);
        }
        pending = null;
        world.onCheckpointComplete(checkpoint);
        if (isRecoveredFrom(checkpoint)) {
            hasRecoveryPoint = true;
            notifyTasks(checkpoint, "complete", task -> task.onCheckpointComplete(checkpoint.id));
        }
        checkpoint.completion.complete(checkpoint);
        triggerQueued();
    }

    void decline(long id) {
        if (pending != null && pending.id == id) {
            abort("declined");
        }
    }

    void abort(String reason) {
        Checkpoint aborted = pending;
        if (aborted == null) {
            return;
        }
        world.trace("checkpoint %d is aborted: %s", aborted.id, reason);
        pending = null;
        if (aborted.begun) {
            notifyTasks(aborted, "aborted", task -> task.onCheckpointAborted(aborted.id));
        }
        aborted.completion.completeExceptionally(new RescaleException(reason));
        triggerQueued();
    }

    /** Flink does not ask whether its tasks have got this. */
    private void notifyTasks(Checkpoint checkpoint, String what, Consumer<SimulatedTask> news) {
        for (SimulatedTask task : master.job().tasks()) {
            Runnable call =
                    () ->
                            task.mail(
                                    "checkpoint " + checkpoint.id + " is " + what,
                                    () -> news.accept(task),
                                    () -> {},
                                    () -> {});
            switch (world.notificationFate()) {
                case LOST:
                    world.trace("%s does not hear of %s %d", task, what, checkpoint.id);
                    break;
                case LATE:
                    later(call);
                    break;
                default:
                    call.run();
            }
        }
    }

    private void triggerQueued() {
        CompletableFuture<Checkpoint> request = queued;
        queued = null;
        if (request != null) {
            later(() -> trigger(request));
        }
    }

    private void trigger(CompletableFuture<Checkpoint> request) {
        if (pending != null) {
            queued = request;
            return;
        }
        triggerIfIdle();
        if (pending == null) {
            request.completeExceptionally(new RescaleException("not all tasks run"));
        } else {
            pending.completion.whenComplete(
                    (checkpoint, failure) -> {
                        if (failure != null) {
                            request.completeExceptionally(failure);
                        } else {
                            request.complete(checkpoint);
                        }
                    });
        }
    }

    /** Which checkpoints wait, and which pass. */
    HeldCheckpoints<Checkpoint> gate() {
        return gate;
    }

    AbsentAcknowledgements<Checkpoint> acknowledgements() {
        return acknowledgements;
    }

    /** Those for whom the JobManager acknowledges. */
    private final class Absent implements AbsentAcknowledgements.Coordinator<Checkpoint> {

        @Override
        public Map<Long, Checkpoint> incomplete() {
            return gate.incomplete();
        }

        @Override
        public boolean isAcknowledgedBy(Checkpoint checkpoint, AttemptId attempt) {
            return !checkpoint.missing.contains(attempt);
        }

        @Override
        public Collection<AttemptId> inactive() {
            return master.inactiveAttempts();
        }

        @Override
        public Collection<AttemptId> active() {
            return master.activeAttempts();
        }

        @Override
        public void acknowledge(long checkpoint, AttemptId attempt) {
            if (pending != null && pending.id == checkpoint) {
                pending.missing.remove(attempt);
            }
        }
    }

    @Override
    public boolean isEnabled() {
        return true;
    }

    @Override
    public boolean isUnaligned() {
        return world.scenario().settings().unaligned;
    }

    @Override
    public boolean restoresRecordsInFlight() {
        Snapshot last = world.lastCheckpoint();
        return last != null && last.inFlight != null;
    }

    @Override
    public long intervalMillis() {
        return Long.MAX_VALUE;
    }

    @Override
    public long id(Checkpoint checkpoint) {
        return checkpoint.id;
    }

    @Override
    public long timeoutNanos() {
        return EXPIRY_NANOS;
    }

    @Override
    public long nanoTime() {
        return world.now();
    }

    @Override
    public Map<Long, Checkpoint> pending() {
        return pending == null
                ? Collections.emptyMap()
                : Collections.singletonMap(pending.id, pending);
    }

    @Override
    public CompletableFuture<?> completion(Checkpoint checkpoint) {
        return checkpoint.completion;
    }

    @Override
    public boolean isSavepoint(Checkpoint checkpoint) {
        return checkpoint.savepoint;
    }

    @Override
    public boolean isRecoveredFrom(Checkpoint checkpoint) {
        return !checkpoint.savepoint;
    }

    @Override
    public CompletableFuture<?> trigger() {
        CompletableFuture<Checkpoint> request = new CompletableFuture<>();
        trigger(request);
        return request;
    }

    @Override
    public void abortAll(String why) {
        if (why.contains("stands")) {
            if (!hasRecoveryPoint) {
                // not from here: who has it aborted only logs what fails
                world.at(
                        world.now(),
                        () -> {
                            throw new Violation(
                                    "two checkpoints in a row are aborted as they stand");
                        });
            }
            hasRecoveryPoint = false;
        }
        abort(why);
    }

    @Override
    public Throwable declined(String why) {
        return new RescaleException(why);
    }

    @Override
    public Executor mainThread() {
        return this::later;
    }

    @Override
    public void schedule(Runnable action, long delayNanos) {
        master.schedule(action, Duration.ofNanos(delayNanos));
    }
}
