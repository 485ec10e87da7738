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
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiPredicate;
import javax.annotation.Nullable;

/**
 * Whether the tasks that a rescale concerns are there: those of its vertices, of their upstreams
 * and downstreams. Owned by the JobMaster's main thread.
 */
final class JobReadiness {

    private final RescaleContext context;

    JobReadiness(RescaleContext context) {
        this.context = context;
    }

    /** Whether a rescale of these vertices can begin. */
    boolean isReady(Collection<ElasticVertex> vertices) {
        return context.jobState() == JobState.RUNNING
                && vertices.stream().allMatch(vertex -> notRunning(vertex) == null);
    }

    /** A vertex that has a subtask which does not run; null: none. */
    @Nullable
    VertexId notRunning(ElasticVertex vertex) {
        return find(vertex, (v, subtask) -> !context.isRunning(v, subtask));
    }

    /**
     * Why a subtask cannot leave; null: it can. Flink 1.12 begins a checkpoint only if all sources
     * run, and completes it only if all tasks do.
     */
    @Nullable
    static String whyNoneCanLeave(RescaleContext context) {
        String finished = context.checkpoints().isEnabled() ? context.finishedVertex() : null;
        return finished == null
                ? null
                : "a subtask of '"
                        + finished
                        + "' has finished. Flink 1.12 completes no checkpoint after that, and"
                        + " without one no subtask can leave.";
    }

    /** Whether a task has finished, which will not run again unless the job restarts. */
    boolean isEnding(ElasticVertex vertex) {
        return finished(vertex) != null;
    }

    /** A vertex that has a subtask which has finished; null: none. */
    @Nullable
    VertexId finished(ElasticVertex vertex) {
        return find(vertex, context::isFinished);
    }

    @Nullable
    private VertexId find(ElasticVertex vertex, BiPredicate<VertexId, Integer> what) {
        Set<VertexId> concerned = new LinkedHashSet<>(vertex.upstreams());
        concerned.add(vertex.id());
        concerned.addAll(vertex.downstreams());
        for (VertexId v : concerned) {
            for (int i = 0; i < context.activeSubtasks(v); i++) {
                if (what.test(v, i)) {
                    return v;
                }
            }
        }
        return null;
    }
}
