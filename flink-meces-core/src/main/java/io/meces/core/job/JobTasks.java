// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.command.TaskCommand;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;

/**
 * The tasks of a job, as its rescales see them and talk to them. Called by the JobMaster's main
 * thread; futures complete there.
 */
public interface JobTasks {

    /** What a user knows a vertex by. */
    String name(VertexId vertex);

    /** The number of subtasks of a vertex that take part in the job at the moment. */
    int activeSubtasks(VertexId vertex);

    boolean isRunning(VertexId vertex, int subtask);

    /** Whether a subtask that is not running yet has a slot to run in. */
    boolean hasSlot(VertexId vertex, int subtask);

    boolean isFinished(VertexId vertex, int subtask);

    /**
     * Why no checkpoint of the job completes any more: a subtask of a vertex, elastic or not, has
     * finished, and there is none after that. Null: they do.
     */
    @Nullable
    String endOfCheckpoints();

    AttemptId attempt(VertexId vertex, int subtask);

    /** In how many input gates a vertex consumes an elastic one. */
    int gatesFrom(VertexId consumer, ElasticVertex producer);

    /**
     * Sends a command; the future fails if the task does not get it. To send the same object to
     * many is cheaper than one to each.
     */
    CompletableFuture<?> send(VertexId vertex, int subtask, TaskCommand command);
}
