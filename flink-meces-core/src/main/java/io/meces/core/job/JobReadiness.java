// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.id.VertexId;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.IntStream;
import javax.annotation.Nullable;

/**
 * Whether the tasks that a rescale concerns are there: those of its vertices, of their upstreams
 * and downstreams. An upstream that has finished is not missed as long as others go on: it has
 * nothing more to say, and new subtasks need not be connected with it. Owned by the JobMaster's
 * main thread.
 */
public final class JobReadiness {

    private final RescaleContext context;

    public JobReadiness(RescaleContext context) {
        this.context = context;
    }

    /** Whether a rescale of these vertices can begin. */
    public boolean isReady(Collection<ElasticVertex> vertices) {
        return context.jobState() == JobState.RUNNING
                && vertices.stream()
                        .allMatch(vertex -> !isEnding(vertex) && notRunning(vertex) == null);
    }

    /** A vertex that has a subtask which is missed; null: none. */
    @Nullable
    public VertexId notRunning(ElasticVertex vertex) {
        Set<VertexId> concerned = new LinkedHashSet<>(vertex.upstreams());
        concerned.add(vertex.id());
        concerned.addAll(vertex.downstreams());
        for (VertexId v : concerned) {
            boolean mayHaveFinished = vertex.upstreams().contains(v);
            if (!subtasks(v)
                    .allMatch(
                            i ->
                                    context.isRunning(v, i)
                                            || mayHaveFinished && context.isFinished(v, i))) {
                return v;
            }
        }
        return null;
    }

    /** Why a subtask cannot leave; null: it can. */
    @Nullable
    public static String whyNoneCanLeave(RescaleContext context, ElasticVertex vertex) {
        String end =
                context.checkpoints().isEnabled() && vertex.checkpointedBesidesKeys() != null
                        ? context.endOfCheckpoints()
                        : null;
        return end == null
                ? null
                : end
                        + ", and without one no subtask can leave, as "
                        + vertex.checkpointedBesidesKeys()
                        + ".";
    }

    /**
     * Whether a vertex gets nothing more, unless the job restarts: all that it reads from has
     * finished, as is certain if one of its own subtasks has.
     */
    public boolean isEnding(ElasticVertex vertex) {
        return finished(vertex.id()).findAny().isPresent()
                || vertex.upstreams().stream()
                        .allMatch(v -> finished(v).count() == context.activeSubtasks(v));
    }

    private IntStream finished(VertexId vertex) {
        return subtasks(vertex).filter(subtask -> context.isFinished(vertex, subtask));
    }

    private IntStream subtasks(VertexId vertex) {
        return IntStream.range(0, context.activeSubtasks(vertex));
    }
}
