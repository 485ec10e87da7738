// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.command.StateDescription;
import io.meces.core.id.VertexId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;

/**
 * What a rescale needs of the scheduler. Called by the JobMaster's main thread; futures complete
 * there.
 */
public interface RescaleContext extends JobTasks {

    JobState jobState();

    /** Whether the job has a vertex of that id or name, of which one is null. */
    boolean hasVertex(@Nullable String id, @Nullable String name);

    /** All vertices of the job, upstream ones first. */
    Collection<VertexId> vertices();

    /** Of two vertices in the same one, subtasks of the same index share a slot. */
    Object slotSharingGroup(VertexId vertex);

    /**
     * How many slots the job could have at once: those that nobody has, and those that it keeps and
     * does not use. Fails if nobody can tell.
     */
    CompletableFuture<Integer> freeSlots();

    /**
     * Has others get the slots that the job keeps and does not use.
     *
     * @return false if subtasks wait to be deployed, which may need them: then it keeps all
     */
    boolean giveBackSlots();

    /** Whether some task of the job has been started again since the job was submitted. */
    boolean hasRestarted();

    /**
     * Asks a subtask to describe its state. Completes in the main thread.
     *
     * @param others formats in which state may come; none: they are not known yet
     */
    CompletableFuture<StateDescription> describeState(
            ElasticVertex vertex, int subtask, List<byte[]> others);

    /**
     * Requests slots for subtasks from..to-1 and deploys them; completes when they run.
     *
     * @param stateFormat in which they are to write their state
     */
    CompletableFuture<?> deploy(ElasticVertex vertex, int from, int to, byte[] stateFormat);

    /** Cancels subtasks from..to-1 and what they have requested; completes when they are new. */
    CompletableFuture<?> cancel(ElasticVertex vertex, int from, int to);

    /** Tells the consumers where the partitions of subtasks from..to-1 are. */
    void publishPartitions(ElasticVertex vertex, int from, int to);

    /**
     * How much state a vertex has in the last completed checkpoint, in bytes; -1: there is none.
     */
    long checkpointedBytes(VertexId vertex);

    /**
     * How much state each key-group of a vertex has in the last completed checkpoint, in bytes;
     * null: there is none, or it does not tell.
     */
    @Nullable
    long[] checkpointedKeyGroups(ElasticVertex vertex);

    /** The checkpoints of the job. */
    CheckpointControl checkpoints();

    /**
     * Reads the list state of subtasks from..to-1 in a checkpoint that has been stored. What it
     * completes with is to be run when they are gone: later checkpoints carry it then, until the
     * vertex is restored. Fails if it cannot be carried; a restart of the job from that checkpoint
     * hands it over.
     */
    CompletableFuture<Runnable> readListState(
            ElasticVertex vertex, int from, int to, long checkpoint);

    /** Runs an action in the main thread later. */
    void schedule(Runnable action, Duration delay);

    /** Counts what rescales do. */
    RescaleMetrics metrics();

    /** No rescale runs any more; the job may have finished meanwhile. */
    void onRescaleEnded();

    /**
     * Whether the whole job could restart from a checkpoint now. One that has none, or must not
     * restart, would end or lose its state by {@link #failJob}: a rescale waits rather.
     */
    boolean canRestart();

    /** Restarts the whole job from its last checkpoint. */
    void failJob(Throwable cause);

    /** Milliseconds since the epoch. */
    long currentTimeMillis();

    /** A clock that never goes back. */
    long nanoTime();
}
