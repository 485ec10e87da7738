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

package io.meces.runtime.checkpoint;

import io.meces.runtime.rescale.CheckpointControl;
import io.meces.runtime.rescale.StoredElasticity;
import io.meces.runtime.rescale.StoredElasticitySerializer;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.checkpoint.CheckpointKinds;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.MasterState;
import org.apache.flink.runtime.checkpoint.MasterTriggerRestoreHook;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds checkpoints back by a public extension point: the coordinator waits for the future of a
 * master hook before it sends any barrier. What the hook gives it to store is how the job stands,
 * for a new JobManager. Thread-safe: the coordinator's threads call the hook, the JobMaster's main
 * thread the rest.
 *
 * <p>The coordinator stores checkpoints under its lock, for as long as the storage and ZooKeeper
 * take. The main thread must never wait for that: heartbeats would be missed. So what takes the
 * lock is done in the coordinator's threads, or by an executor; and nobody takes it who has the
 * monitor of the gate.
 */
public final class CheckpointGate
        implements MasterTriggerRestoreHook<StoredElasticity>, CheckpointControl {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointGate.class);
    private static final String ID = "meces-elasticity";

    private final CheckpointGaps gaps = new CheckpointGaps(System.nanoTime());
    private final long intervalMillis;
    @Nullable private CheckpointCoordinator coordinator;
    private Executor executor;
    private PassedCheckpoints onTheirWay;
    private Supplier<ComponentMainThreadExecutor> mainThread;
    private Consumer<PendingCheckpoint> preparation;
    private Supplier<StoredElasticity> elasticity;

    /** By id; null: it has been aborted before it came. */
    private final Map<Long, PendingCheckpoint> waiting = new HashMap<>();

    private final AtomicInteger savepoints = new AtomicInteger();
    private volatile long lastPassed = -1;
    @Nullable private CompletableFuture<Void> closed;

    /** Is told of the next checkpoint, which passes although others are held back. */
    @Nullable private CompletableFuture<PendingCheckpoint> next;

    @Nullable private CompletedCheckpoint newest;

    /**
     * @param settings of the job; null: it has no checkpoints
     */
    public CheckpointGate(@Nullable JobCheckpointingSettings settings) {
        if (settings == null) {
            intervalMillis = Long.MAX_VALUE;
        } else {
            CheckpointCoordinatorConfiguration configuration =
                    settings.getCheckpointCoordinatorConfiguration();
            intervalMillis =
                    Math.max(
                            configuration.getCheckpointInterval(),
                            configuration.getMinPauseBetweenCheckpoints());
        }
    }

    /**
     * To be called before the job is scheduled.
     *
     * @param checkpoints the coordinator, of which this is a hook; null: the job has no checkpoints
     * @param lockExecutor does what waits for the coordinator's lock
     * @param beforeTasks what becomes of a checkpoint before the first task hears of it; while it
     *     runs, no rescale begins and none goes on
     * @param stored what a checkpoint stores; may give null
     */
    public void connect(
            @Nullable CheckpointCoordinator checkpoints,
            Executor lockExecutor,
            Supplier<ComponentMainThreadExecutor> mainThreadExecutor,
            Consumer<PendingCheckpoint> beforeTasks,
            Supplier<StoredElasticity> stored) {
        coordinator = checkpoints;
        executor = lockExecutor;
        onTheirWay =
                new PassedCheckpoints(
                        checkpoints == null
                                ? Collections::emptyMap
                                : checkpoints::getPendingCheckpoints,
                        lockExecutor);
        mainThread = mainThreadExecutor;
        preparation = beforeTasks;
        elasticity = stored;
    }

    /**
     * What a JobManager has stored in a checkpoint; null if nothing.
     *
     * @throws IOException if it cannot be read
     */
    @Nullable
    public static StoredElasticity storedIn(CompletedCheckpoint checkpoint) throws IOException {
        for (MasterState state : checkpoint.getMasterHookStates()) {
            if (state.name().equals(ID)) {
                return new StoredElasticitySerializer().deserialize(state.version(), state.bytes());
            }
        }
        return null;
    }

    @Override
    public synchronized void hold() {
        if (closed == null) {
            closed = new CompletableFuture<>();
        }
    }

    @Override
    public void release() {
        CompletableFuture<Void> released;
        CompletableFuture<PendingCheckpoint> unmet;
        synchronized (this) {
            released = closed;
            closed = null;
            letGo();
            // or it would pass when others are held back again
            unmet = next;
            next = null;
        }
        if (released != null) {
            released.complete(null);
        }
        if (unmet != null) {
            unmet.completeExceptionally(
                    new FlinkException("Nobody waits for that checkpoint any more"));
        }
    }

    /** At once: one that neither waits nor is on its way would not be missed by anybody. */
    private void letGo() {
        onTheirWay.addAll(waiting);
        waiting.clear();
    }

    @Override
    public boolean isQuiet() {
        return onTheirWay.areDone();
    }

    /** Those that a task may acknowledge, by id. Does not wait. */
    public Map<Long, PendingCheckpoint> incomplete() {
        Map<Long, PendingCheckpoint> incomplete;
        synchronized (this) {
            incomplete = onTheirWay.incomplete();
            // a hook of the job may tell sources of one that has not passed here
            incomplete.putAll(PassedCheckpoints.incompleteOf(waiting));
        }
        return incomplete;
    }

    /** The newest checkpoint that is complete; it may be that it cannot be stored. Null: none. */
    @Nullable
    public synchronized CompletedCheckpoint newest() {
        return newest;
    }

    /** A checkpoint is complete, or the job begins with it. */
    public synchronized void onComplete(CompletedCheckpoint checkpoint) {
        if (newest == null || newest.getCheckpointID() < checkpoint.getCheckpointID()) {
            newest = checkpoint;
        }
    }

    @Override
    public void abortRunning() {
        if (coordinator == null) {
            return;
        }
        Set<Long> running = onTheirWay.ids();
        CompletableFuture.runAsync(() -> abort(running), executor)
                .whenComplete(
                        (nothing, failure) -> {
                            if (failure != null) {
                                LOG.warn("Waits for checkpoints, cannot abort them:", failure);
                            }
                        });
    }

    private void abort(Set<Long> running) {
        Map<Long, PendingCheckpoint> pending = coordinator.getPendingCheckpoints();
        // If they have ended meanwhile others may have been let go, which are not to be aborted.
        if (!Collections.disjoint(running, pending.keySet())
                && pending.values().stream().noneMatch(CheckpointKinds::isSavepoint)) {
            coordinator.abortPendingCheckpoints(decline("a rescale begins"));
        }
    }

    @Override
    public long lastPassed() {
        return lastPassed;
    }

    @Override
    public synchronized boolean isOneWaiting() {
        return !waiting.isEmpty();
    }

    /** A savepoint has been asked for; the coordinator may not have begun it. Main thread. */
    public void onSavepointAsked(CompletableFuture<?> savepoint) {
        savepoints.incrementAndGet();
        savepoint.whenComplete((path, failure) -> savepoints.decrementAndGet());
    }

    @Override
    public boolean isSavepointAwaited() {
        return savepoints.get() > 0;
    }

    @Override
    public long timeoutNanos() {
        return coordinator == null
                ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(coordinator.getCheckpointTimeout());
    }

    @Override
    public boolean isEnabled() {
        return coordinator != null && coordinator.isPeriodicCheckpointingConfigured();
    }

    @Override
    public long intervalMillis() {
        return intervalMillis;
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        if (coordinator == null) {
            return FutureUtils.completedExceptionally(
                    new FlinkException("The job has no checkpoints"));
        }
        CompletableFuture<PendingCheckpoint> passed = new CompletableFuture<>();
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
        return passed.thenCompose(PendingCheckpoint::getCompletionFuture)
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
                            return checkpoint.getCheckpointID();
                        },
                        mainThread.get());
    }

    /** Unless another one has passed in its place, or nobody waits for it any more. */
    private void trigger(CompletableFuture<PendingCheckpoint> passed) {
        synchronized (this) {
            if (next != passed) {
                return;
            }
        }
        coordinator
                .triggerCheckpoint(false)
                .whenComplete((checkpoint, failure) -> failIf(failure, passed));
    }

    private static void failIf(@Nullable Throwable failure, CompletableFuture<?> future) {
        if (failure != null) {
            future.completeExceptionally(failure);
        }
    }

    @Override
    public void requestOne() {
        if (isEnabled()) {
            CompletableFuture.supplyAsync(this::triggerIfIdle, executor)
                    .thenCompose(checkpoint -> checkpoint)
                    .whenComplete(
                            (checkpoint, failure) -> {
                                if (failure != null) {
                                    LOG.info(
                                            "No checkpoint after a rescale: {}",
                                            failure.toString());
                                }
                            });
        }
    }

    private CompletableFuture<CompletedCheckpoint> triggerIfIdle() {
        return coordinator.getPendingCheckpoints().isEmpty()
                ? coordinator.triggerCheckpoint(false)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public void measureGaps() {
        gaps.forget();
    }

    @Override
    public long longestGapNanos() {
        return gaps.longest(System.nanoTime());
    }

    @Override
    public String getIdentifier() {
        return ID;
    }

    @Override
    public CompletableFuture<StoredElasticity> triggerCheckpoint(
            long checkpointId, long timestamp, Executor executor) {
        CompletableFuture<Void> open = CompletableFuture.completedFuture(null);
        boolean held;
        // here, as the main thread may let it pass
        PendingCheckpoint pending = onTheirWay.forgetEnded().get(checkpointId);
        synchronized (this) {
            held = closed != null && next == null;
            if (held) {
                waiting.put(checkpointId, pending);
                open = closed;
            } else {
                onTheirWay.add(checkpointId, pending);
            }
        }
        CompletableFuture<StoredElasticity> passed =
                open.thenApply(nothing -> pass(checkpointId, pending));
        if (held) {
            mainThread
                    .get()
                    .schedule(
                            () -> giveUpIfItWaits(checkpointId, passed),
                            timeoutNanos() / 2,
                            TimeUnit.NANOSECONDS);
        }
        return passed;
    }

    /**
     * One that expires, as it has waited here or has had too little time after that, would count as
     * a failure, of which the job may tolerate none. The next one has all its time before it.
     */
    private void giveUpIfItWaits(long checkpointId, CompletableFuture<?> held) {
        synchronized (this) {
            if (!waiting.containsKey(checkpointId)) {
                return;
            }
            waiting.remove(checkpointId);
        }
        held.completeExceptionally(
                decline("a rescale has held it back for half of the checkpoint timeout"));
    }

    /** Aborts a checkpoint for a reason that does not count as a failure of checkpoints. */
    public static CheckpointException decline(String why) {
        return new CheckpointException(
                "No checkpoint now: " + why,
                CheckpointFailureReason.CHECKPOINT_COORDINATOR_SUSPEND);
    }

    @Nullable
    private StoredElasticity pass(long checkpointId, @Nullable PendingCheckpoint pending) {
        CompletableFuture<PendingCheckpoint> passed;
        synchronized (this) {
            passed = next;
            next = null;
            lastPassed = Math.max(lastPassed, checkpointId);
        }
        boolean aborted = pending == null || pending.getCompletionFuture().isDone();
        if (aborted) {
            // no task is told of it
            onTheirWay.remove(checkpointId);
        } else {
            prepare(pending, passed);
        }
        if (passed != null && aborted) {
            passed.completeExceptionally(
                    new FlinkException("Checkpoint " + checkpointId + " was aborted"));
        } else if (passed != null) {
            passed.complete(pending);
        }
        return elasticity.get();
    }

    private void prepare(
            PendingCheckpoint pending, @Nullable CompletableFuture<PendingCheckpoint> passed) {
        try {
            preparation.accept(pending);
        } catch (Throwable t) {
            if (passed != null) {
                // nobody else would tell who waits for it
                passed.completeExceptionally(t);
            }
            throw t;
        }
        pending.getCompletionFuture()
                .whenComplete(
                        (checkpoint, failure) -> {
                            if (failure == null) {
                                gaps.onCompleted(System.nanoTime());
                                onComplete(checkpoint);
                            }
                        });
    }

    @Override
    public void restoreCheckpoint(long checkpointId, @Nullable StoredElasticity before) {
        // a job that restarts knows better; a new JobManager asks for storedIn(checkpoint)
    }

    @Override
    public SimpleVersionedSerializer<StoredElasticity> createCheckpointDataSerializer() {
        return new StoredElasticitySerializer();
    }
}
