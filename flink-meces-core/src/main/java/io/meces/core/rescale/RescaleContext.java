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

package io.meces.core.rescale;

import io.meces.core.id.VertexId;
import java.time.Duration;
import java.util.Collection;
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

    /** Whether some task of the job has been started again since the job was submitted. */
    boolean hasRestarted();

    /** Requests slots for subtasks from..to-1 and deploys them; completes when they run. */
    CompletableFuture<?> deploy(ElasticVertex vertex, int from, int to);

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
