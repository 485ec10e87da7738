// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.checkpoint.HeldCheckpoints;
import io.meces.core.job.StoredElasticity;
import io.meces.flink.runtime.CheckpointParts;
import io.meces.flink.runtime.Futures;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
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
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.function.FunctionUtils;

/**
 * Holds checkpoints back by a public extension point: the coordinator waits for the future of a
 * master hook before it sends any barrier. What the hook gives it to store is how the job stands,
 * for a new JobManager. {@link HeldCheckpoints} decides which of them wait. Thread-safe: the
 * coordinator's threads call the hook, the JobMaster's main thread the rest.
 */
public final class CheckpointGate implements MasterTriggerRestoreHook<StoredElasticity> {

    private static final String ID = "meces-elasticity";

    private final long intervalMillis;
    private final boolean unaligned;
    private Executor lockExecutor;
    private final HeldCheckpoints<PendingCheckpoint> checkpoints =
            new HeldCheckpoints<>(new FlinksCoordinator(), action -> lockExecutor.execute(action));
    @Nullable private CheckpointCoordinator coordinator;
    private Supplier<? extends Executor> mainThread;
    private BiConsumer<Runnable, Duration> schedule;
    private Consumer<PendingCheckpoint> preparation;
    private Supplier<StoredElasticity> elasticity;
    @Nullable private CompletedCheckpoint newest;

    /** Those that a restart may go back to, by id; 0: to the beginning. */
    private long newestRecoverable;

    private long stored;

    /**
     * @param settings of the job; null: it has no checkpoints
     */
    public CheckpointGate(@Nullable JobCheckpointingSettings settings) {
        if (settings == null) {
            intervalMillis = Long.MAX_VALUE;
            unaligned = false;
        } else {
            CheckpointCoordinatorConfiguration configuration =
                    settings.getCheckpointCoordinatorConfiguration();
            intervalMillis =
                    Math.max(
                            configuration.getCheckpointInterval(),
                            configuration.getMinPauseBetweenCheckpoints());
            unaligned = configuration.isUnalignedCheckpointsEnabled();
        }
    }

    /**
     * To be called before the job is scheduled.
     *
     * @param flink the coordinator, of which this is a hook; null: the job has no checkpoints
     * @param executor does what waits for the coordinator's lock
     * @param later has the main thread do something after a while
     * @param beforeTasks what becomes of a checkpoint before the first task hears of it; while it
     *     runs, no rescale begins and none goes on
     * @param stored what a checkpoint stores; may give null
     */
    public void connect(
            @Nullable CheckpointCoordinator flink,
            Executor executor,
            Supplier<? extends Executor> main,
            BiConsumer<Runnable, Duration> later,
            Consumer<PendingCheckpoint> beforeTasks,
            Supplier<StoredElasticity> stored) {
        coordinator = flink;
        lockExecutor = executor;
        mainThread = main;
        schedule = later;
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

    /**
     * Whether checkpoints may be unaligned where {@link HeldCheckpoints} has nothing against it.
     */
    public boolean isUnaligned() {
        return unaligned;
    }

    /** Whether a checkpoint that has passed may be unaligned. Any thread. */
    public boolean mayBeUnaligned(PendingCheckpoint checkpoint) {
        return unaligned && checkpoints.mayBeUnaligned(CheckpointParts.id(checkpoint));
    }

    /** Which checkpoints wait, and which pass. */
    public HeldCheckpoints<PendingCheckpoint> checkpoints() {
        return checkpoints;
    }

    /** The newest checkpoint that is complete; it may be that it cannot be stored. Null: none. */
    @Nullable
    public synchronized CompletedCheckpoint newest() {
        return newest;
    }

    /**
     * The id of a checkpoint than which a restart goes back to none that is older; 0: there is
     * none. It is that before the newest one, which may be about to be stored, and that may fail.
     */
    public synchronized long stored() {
        return stored;
    }

    /** The job begins with a checkpoint. */
    public synchronized void onRestored(CompletedCheckpoint checkpoint) {
        newest = checkpoint;
        newestRecoverable = checkpoint.getCheckpointID();
        stored = newestRecoverable;
    }

    /**
     * A checkpoint is complete.
     *
     * @param recoverable whether a restart may go back to it
     */
    synchronized void onComplete(CompletedCheckpoint checkpoint, boolean recoverable) {
        long id = checkpoint.getCheckpointID();
        if (newest == null || newest.getCheckpointID() < id) {
            newest = checkpoint;
        }
        if (recoverable && newestRecoverable < id) {
            stored = newestRecoverable;
            newestRecoverable = id;
        }
    }

    /** Aborts a checkpoint for a reason that does not count as a failure of checkpoints. */
    public static CheckpointException decline(String why) {
        return new CheckpointException(
                "No checkpoint now: " + why,
                CheckpointFailureReason.CHECKPOINT_COORDINATOR_SUSPEND);
    }

    // ------------------------------------------------------------------------
    //  For Flink
    // ------------------------------------------------------------------------

    @Override
    public String getIdentifier() {
        return ID;
    }

    @Override
    public CompletableFuture<StoredElasticity> triggerCheckpoint(
            long checkpointId, long timestamp, Executor executor) {
        return checkpoints.arrive(checkpointId, this::prepare, elasticity);
    }

    private void prepare(PendingCheckpoint pending) {
        preparation.accept(pending);
        pending.getCompletionFuture()
                .whenComplete(
                        (checkpoint, failure) -> {
                            if (failure == null) {
                                onComplete(checkpoint, CheckpointKinds.isRecoveredFrom(pending));
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

    /** It stores checkpoints under its lock, for as long as the storage and ZooKeeper take. */
    final class FlinksCoordinator implements HeldCheckpoints.Coordinator<PendingCheckpoint> {

        @Override
        public boolean isEnabled() {
            return coordinator != null && coordinator.isPeriodicCheckpointingConfigured();
        }

        @Override
        public long intervalMillis() {
            return intervalMillis;
        }

        @Override
        public long id(PendingCheckpoint checkpoint) {
            return CheckpointParts.id(checkpoint);
        }

        @Override
        public Map<Long, PendingCheckpoint> pending() {
            return coordinator == null
                    ? Collections.emptyMap()
                    : coordinator.getPendingCheckpoints();
        }

        @Override
        public CompletableFuture<?> completion(PendingCheckpoint checkpoint) {
            return checkpoint.getCompletionFuture();
        }

        @Override
        public boolean isSavepoint(PendingCheckpoint checkpoint) {
            return CheckpointKinds.isSavepoint(checkpoint);
        }

        @Override
        public boolean isRecoveredFrom(PendingCheckpoint checkpoint) {
            return CheckpointKinds.isRecoveredFrom(checkpoint);
        }

        @Override
        public boolean isUnaligned() {
            return unaligned;
        }

        @Override
        public boolean restoresRecordsInFlight() {
            List<CompletedCheckpoint> stored =
                    FunctionUtils.uncheckedSupplier(coordinator::getSuccessfulCheckpoints).get();
            return !stored.isEmpty()
                    && StateRedistribution.hasChannelState(stored.get(stored.size() - 1));
        }

        @Override
        public CompletableFuture<?> trigger() {
            return coordinator == null
                    ? Futures.completedExceptionally(
                            new FlinkException("The job has no checkpoints"))
                    : coordinator.triggerCheckpoint(false);
        }

        @Override
        public void abortAll(String why) {
            coordinator.abortPendingCheckpoints(decline(why));
        }

        @Override
        public Throwable declined(String why) {
            return decline(why);
        }

        @Override
        public long timeoutNanos() {
            return coordinator == null
                    ? Long.MAX_VALUE
                    : TimeUnit.MILLISECONDS.toNanos(coordinator.getCheckpointTimeout());
        }

        @Override
        public Executor mainThread() {
            return mainThread.get();
        }

        @Override
        public void schedule(Runnable action, long delayNanos) {
            schedule.accept(action, Duration.ofNanos(delayNanos));
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    }
}
