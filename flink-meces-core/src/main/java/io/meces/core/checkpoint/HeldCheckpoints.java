// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which checkpoints wait and which pass: what drives the gate in front of Flink's
 * coordinator, and that of the simulation. Thread-safe: the coordinator's threads tell of
 * checkpoints, the JobMaster's main thread holds and releases them.
 *
 * <p>The coordinator may wait for a storage with its lock. So what takes the lock is done in the
 * coordinator's threads, or by an executor; and nobody takes it who has the monitor of this.
 *
 * @param <C> what a checkpoint is to the coordinator
 */
public final class HeldCheckpoints<C> implements CheckpointControl {

    private static final Logger LOG = LoggerFactory.getLogger(HeldCheckpoints.class);

    /**
     * For so long checkpoints wait after a task has told that it deletes what belongs elsewhere.
     */
    static final long CLEARING_NANOS = 3_000_000_000L;

    /** Some weeks. */
    private static final long NEVER_NANOS = Integer.MAX_VALUE * 1_000_000L;

    private final Coordinator<C> coordinator;
    private final Executor executor;
    private final PassedCheckpoints<C> onTheirWay;
    private final CheckpointGaps gaps;
    private final CheckpointProgress progress;
    private final UnalignedCheckpoints unaligned = new UnalignedCheckpoints();
    private final AtomicInteger savepoints = new AtomicInteger();

    /** By id; null: it has been aborted before it came. */
    private final Map<Long, C> waiting = new HashMap<>();

    private long lastPassed = -1;

    /** When the last one came that {@link #letOnePass} has not asked for. */
    private long begunAt;

    /** By a rescale. */
    private boolean held;

    /** Whether tasks delete what belongs elsewhere, and until when that is taken for granted. */
    private boolean clearing;

    private long clearingUntil;

    /** Done when neither is so any more. */
    @Nullable private CompletableFuture<Void> closed;

    /** Is told of the next checkpoint, which passes although others are held back. */
    @Nullable private CompletableFuture<C> next;

    /**
     * @param executor does what waits for the coordinator's lock
     */
    public HeldCheckpoints(Coordinator<C> coordinator, Executor executor) {
        this(coordinator, executor, CheckpointProgress.PATIENCE);
    }

    /**
     * The same, for tests.
     *
     * @param patience for how long a checkpoint may not move until it stands
     */
    public HeldCheckpoints(Coordinator<C> coordinator, Executor executor, Duration patience) {
        this.coordinator = coordinator;
        this.executor = executor;
        onTheirWay =
                new PassedCheckpoints<>(coordinator::pending, coordinator::completion, executor);
        begunAt = coordinator.nanoTime();
        gaps = new CheckpointGaps(begunAt);
        progress = new CheckpointProgress(patience, coordinator.nanoTime());
    }

    /** What takes checkpoints. */
    public interface Coordinator<C> {

        /** Whether the job has checkpoints. */
        boolean isEnabled();

        /** How often they begin, as long as they are quick. */
        long intervalMillis();

        long id(C checkpoint);

        /** Those that have neither been stored nor aborted, by id. May wait for the lock. */
        Map<Long, C> pending();

        /** Completes when it has got all it waits for, fails when it is aborted. */
        CompletableFuture<?> completion(C checkpoint);

        boolean isSavepoint(C checkpoint);

        /**
         * Whether the job restarts from it, if it is the last that is complete, and tasks are told
         * that it is. Not so for savepoints of some lines of Flink.
         */
        boolean isRecoveredFrom(C checkpoint);

        /** Whether the job asks for unaligned checkpoints. */
        boolean isUnaligned();

        /**
         * Whether the job would be restored with records in flight if it restarted now. May wait
         * for the lock.
         */
        boolean restoresRecordsInFlight();

        /** Begins a checkpoint. Fails if that cannot be. May wait for the lock. */
        CompletableFuture<?> trigger();

        /** Aborts all, which does not count as a failure. May wait for the lock. */
        void abortAll(String why);

        /** What aborts a checkpoint without counting as a failure. */
        Throwable declined(String why);

        /** After how long a checkpoint expires. */
        long timeoutNanos();

        /** Of the JobMaster. */
        Executor mainThread();

        /** Has it done by the main thread. */
        void schedule(Runnable action, long delayNanos);

        /** A clock that never goes back. */
        long nanoTime();
    }

    // ------------------------------------------------------------------------
    //  For rescales
    // ------------------------------------------------------------------------

    @Override
    public synchronized void hold() {
        held = true;
        unaligned.onRescaling(true);
        progress.onMoving(true, coordinator.nanoTime());
        close();
    }

    private void close() {
        if (closed == null) {
            closed = new CompletableFuture<>();
        }
    }

    @Override
    public void onClearing() {
        boolean first;
        synchronized (this) {
            first = !clearing;
            clearing = true;
            clearingUntil = coordinator.nanoTime() + CLEARING_NANOS;
            close();
        }
        if (first) {
            coordinator.schedule(this::lookWhetherCleared, CLEARING_NANOS);
        }
    }

    private void lookWhetherCleared() {
        long left;
        CompletableFuture<Void> released = null;
        synchronized (this) {
            left = clearingUntil - coordinator.nanoTime();
            if (left <= 0) {
                clearing = false;
                released = open();
            }
        }
        if (left > 0) {
            coordinator.schedule(this::lookWhetherCleared, left);
        } else if (released != null) {
            released.complete(null);
        }
    }

    /**
     * Lets go what waits, unless there is still something to wait for.
     *
     * @return to be completed without the monitor of this, if there is one
     */
    @Nullable
    private CompletableFuture<Void> open() {
        if (held || clearing) {
            return null;
        }
        CompletableFuture<Void> released = closed;
        closed = null;
        letGo();
        return released;
    }

    @Override
    public void release() {
        CompletableFuture<Void> released;
        CompletableFuture<C> unmet;
        synchronized (this) {
            if (held) {
                unaligned.onRescaling(false);
            }
            held = false;
            progress.onMoving(false, coordinator.nanoTime());
            released = open();
            // or it would pass when others are held back again
            unmet = next;
            next = null;
        }
        if (released != null) {
            released.complete(null);
        }
        if (unmet != null) {
            unmet.completeExceptionally(
                    new RescaleException("Nobody waits for that checkpoint any more"));
        }
    }

    /** At once: one that neither waits nor is on its way would not be missed by anybody. */
    private void letGo() {
        onPassed();
        onTheirWay.addAll(waiting);
        waiting.clear();
    }

    private void onPassed() {
        // it may have waited for as long, and is not to expire
        progress.onPassed(
                coordinator.nanoTime(),
                coordinator.timeoutNanos() / CheckpointPace.SHARE_OF_TIMEOUT);
    }

    @Override
    public boolean isQuiet() {
        synchronized (this) {
            if (clearing) {
                return false;
            }
        }
        return onTheirWay.areDone();
    }

    @Override
    public CompletableFuture<Boolean> restoresNothingInFlight() {
        return coordinator.isUnaligned()
                ? CompletableFuture.supplyAsync(
                                () -> !coordinator.restoresRecordsInFlight(), executor)
                        .whenCompleteAsync((nothing, failure) -> {}, coordinator.mainThread())
                : CompletableFuture.completedFuture(true);
    }

    @Override
    public synchronized long lastPassed() {
        return lastPassed;
    }

    @Override
    public synchronized boolean isOneWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public boolean isSavepointAwaited() {
        return savepoints.get() > 0;
    }

    @Override
    public long timeoutNanos() {
        return coordinator.timeoutNanos();
    }

    @Override
    public boolean isEnabled() {
        return coordinator.isEnabled();
    }

    @Override
    public long intervalMillis() {
        return coordinator.intervalMillis();
    }

    @Override
    public synchronized long untilNextNanos() {
        long millis = coordinator.intervalMillis();
        return millis > Integer.MAX_VALUE
                ? NEVER_NANOS
                : Math.max(0, millis * 1_000_000 - (coordinator.nanoTime() - begunAt));
    }

    @Override
    public void measureGaps() {
        gaps.forget();
    }

    @Override
    public long longestGapNanos() {
        return gaps.longest(coordinator.nanoTime());
    }

    @Override
    public void abortRunning() {
        abortRunning("a rescale begins", false);
    }

    private void abortRunning(String why, boolean standing) {
        Set<Long> running = onTheirWay.ids();
        CompletableFuture.runAsync(() -> abort(running, why, standing), executor)
                .whenComplete(
                        (nothing, failure) -> {
                            progress.onAborting(false);
                            if (failure != null) {
                                LOG.warn("Waits for checkpoints, cannot abort them:", failure);
                            }
                        });
    }

    @Override
    public void abortStanding() {
        // not whether they are done: that becomes known a while after the last one has ended
        if (isSavepointAwaited()
                || onTheirWay.incomplete().isEmpty()
                || !progress.stands(coordinator.nanoTime())) {
            return;
        }
        progress.onAborting(true);
        // with the lock it may be seen that one has all it waits for, and was being stored
        abortRunning("a rescale waits for it, and it stands behind a backlog", true);
    }

    private void onStood(Object complete, @Nullable Throwable failure) {
        if (failure != null) {
            progress.onAborted();
        }
    }

    @Override
    public int standingAborts() {
        return progress.aborts();
    }

    private void abort(Set<Long> running, String why, boolean standing) {
        Map<Long, C> pending = coordinator.pending();
        // If they have ended meanwhile others may have been let go, which are not to be aborted.
        if (!Collections.disjoint(running, pending.keySet())
                && pending.values().stream().noneMatch(coordinator::isSavepoint)) {
            if (standing) {
                // it may still complete before it is aborted
                pending.values()
                        .forEach(c -> coordinator.completion(c).whenComplete(this::onStood));
            }
            coordinator.abortAll(why);
        }
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        CompletableFuture<C> passed = new CompletableFuture<>();
        CompletableFuture<Void> released = null;
        synchronized (this) {
            next = passed;
            if (!waiting.isEmpty()) {
                released = closed;
                closed = new CompletableFuture<>();
                letGo();
            }
        }
        if (released != null) {
            released.complete(null);
        } else {
            CompletableFuture.runAsync(() -> trigger(passed), executor)
                    .whenComplete((nothing, failure) -> failIf(failure, passed));
        }
        // hop to the main thread also if it is complete or has failed at once
        return passed.thenCompose(
                        checkpoint ->
                                coordinator.completion(checkpoint).thenApply(done -> checkpoint))
                .handleAsync(
                        (checkpoint, failure) -> {
                            synchronized (this) {
                                if (next == passed) {
                                    next = null;
                                }
                            }
                            if (failure != null) {
                                throw new CompletionException(failure);
                            }
                            if (!coordinator.isRecoveredFrom(checkpoint)) {
                                throw new CompletionException(
                                        new RescaleException(
                                                "A savepoint has passed, of which no task is"
                                                        + " told when it is complete"));
                            }
                            return coordinator.id(checkpoint);
                        },
                        coordinator.mainThread());
    }

    /** Unless another one has passed in its place, or nobody waits for it any more. */
    private void trigger(CompletableFuture<C> passed) {
        synchronized (this) {
            if (next != passed) {
                return;
            }
        }
        coordinator.trigger().whenComplete((checkpoint, failure) -> failIf(failure, passed));
    }

    private static void failIf(@Nullable Throwable failure, CompletableFuture<?> future) {
        if (failure != null) {
            future.completeExceptionally(failure);
        }
    }

    @Override
    public void requestOne() {
        if (!coordinator.isEnabled()) {
            return;
        }
        CompletableFuture.supplyAsync(this::triggerIfIdle, executor)
                .thenCompose(checkpoint -> checkpoint)
                .whenComplete(
                        (checkpoint, failure) -> {
                            if (failure != null) {
                                LOG.info("No checkpoint after a rescale: {}", failure.toString());
                            }
                        });
    }

    private CompletableFuture<?> triggerIfIdle() {
        return coordinator.pending().isEmpty()
                ? coordinator.trigger()
                : CompletableFuture.completedFuture(null);
    }

    // ------------------------------------------------------------------------
    //  For the coordinator
    // ------------------------------------------------------------------------

    /** A savepoint has been asked for; the coordinator may not have begun it. */
    public void onSavepointAsked(CompletableFuture<?> savepoint) {
        savepoints.incrementAndGet();
        savepoint.whenComplete((path, failure) -> savepoints.decrementAndGet());
    }

    /**
     * A task has taken part in a checkpoint.
     *
     * @param writeNanos how long it has written its state
     */
    public void onAcknowledged(long id, long writeNanos) {
        progress.onAcknowledged(id, writeNanos, coordinator.nanoTime());
    }

    /**
     * Whether a checkpoint that has passed may be unaligned, if the job asks for such. Does not
     * wait.
     */
    public synchronized boolean mayBeUnaligned(long id) {
        return unaligned.mayBe(id);
    }

    /** Those that a task may acknowledge, by id. Does not wait. */
    public Map<Long, C> incomplete() {
        Map<Long, C> incomplete;
        synchronized (this) {
            incomplete = onTheirWay.incomplete();
            // a hook of the job may tell sources of one that has not passed here
            incomplete.putAll(onTheirWay.incompleteOf(waiting));
        }
        return incomplete;
    }

    /**
     * A checkpoint comes, of which no task has heard. May wait for the coordinator's lock.
     *
     * @param preparation what becomes of it when it passes; not called if it has been aborted.
     *     While it runs, no rescale begins and none goes on
     * @param stored what it has to store, asked when it passes
     * @return completes when it may go to the tasks
     */
    public <S> CompletableFuture<S> arrive(long id, Consumer<C> preparation, Supplier<S> stored) {
        CompletableFuture<Void> open = CompletableFuture.completedFuture(null);
        boolean waits;
        // here, as the main thread may let it pass
        C checkpoint = onTheirWay.forgetEnded().get(id);
        synchronized (this) {
            waits = closed != null && next == null;
            if (next == null) {
                begunAt = coordinator.nanoTime();
            }
            if (waits) {
                waiting.put(id, checkpoint);
                open = closed;
            } else {
                onPassed();
                onTheirWay.add(id, checkpoint);
            }
        }
        CompletableFuture<S> passed =
                open.thenApply(
                        nothing -> {
                            pass(id, checkpoint, preparation);
                            return stored.get();
                        });
        if (waits) {
            coordinator.schedule(() -> giveUpIfItWaits(id, passed), coordinator.timeoutNanos() / 2);
        }
        return passed;
    }

    /**
     * One that expires, as it has waited here or has had too little time after that, would count as
     * a failure, of which the job may tolerate none. The next one has all its time before it.
     */
    private void giveUpIfItWaits(long id, CompletableFuture<?> passed) {
        String why;
        synchronized (this) {
            if (!waiting.containsKey(id)) {
                return;
            }
            waiting.remove(id);
            why =
                    held
                            ? "a rescale has held it back for half of the checkpoint timeout"
                            : "for half of the checkpoint timeout tasks have deleted state that"
                                    + " came with a restored checkpoint and belongs elsewhere";
        }
        passed.completeExceptionally(coordinator.declined(why));
    }

    private void pass(long id, @Nullable C checkpoint, Consumer<C> preparation) {
        CompletableFuture<C> passed;
        synchronized (this) {
            passed = next;
            next = null;
            lastPassed = Math.max(lastPassed, id);
            unaligned.onPassed(id);
        }
        boolean aborted = checkpoint == null || coordinator.completion(checkpoint).isDone();
        if (aborted) {
            // no task is told of it
            onTheirWay.remove(id);
            onEnded(id, false);
        } else {
            coordinator
                    .completion(checkpoint)
                    .whenComplete((complete, failure) -> onEnded(id, failure == null));
            prepare(checkpoint, preparation, passed);
        }
        if (passed != null && aborted) {
            passed.completeExceptionally(new RescaleException("Checkpoint " + id + " was aborted"));
        } else if (passed != null) {
            passed.complete(checkpoint);
        }
    }

    private synchronized void onEnded(long id, boolean complete) {
        unaligned.onEnded(id, complete);
    }

    private void prepare(
            C checkpoint, Consumer<C> preparation, @Nullable CompletableFuture<C> passed) {
        try {
            preparation.accept(checkpoint);
            coordinator
                    .completion(checkpoint)
                    .whenComplete(
                            (complete, failure) -> {
                                if (failure == null && coordinator.isRecoveredFrom(checkpoint)) {
                                    gaps.onCompleted(coordinator.nanoTime());
                                    progress.onCompleted();
                                }
                            });
        } catch (Throwable t) {
            if (passed != null) {
                // nobody else would tell who waits for it
                passed.completeExceptionally(t);
            }
            throw t;
        }
    }
}
