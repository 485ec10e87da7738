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

    /** The number of subtasks of a vertex that take part in the job at the moment. */
    int activeSubtasks(VertexId vertex);

    boolean isRunning(VertexId vertex, int subtask);

    boolean isFinished(VertexId vertex, int subtask);

    /**
     * The name of a vertex of the job, elastic or not, one of whose subtasks has finished; null:
     * there is none.
     */
    @Nullable
    String finishedVertex();

    AttemptId attempt(VertexId vertex, int subtask);

    /** In how many input gates a vertex consumes an elastic one. */
    int gatesFrom(VertexId consumer, ElasticVertex producer);

    /** Sends a command; the future fails if the task does not get it. */
    CompletableFuture<?> send(VertexId vertex, int subtask, TaskCommand command);
}
