// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.id.VertexId;
import io.meces.core.plan.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a job to where an earlier JobManager has left it, as far as the job is still the same.
 * Owned by the JobMaster's main thread.
 */
public final class ElasticityRestore {

    private static final Logger LOG = LoggerFactory.getLogger(ElasticityRestore.class);

    private final Map<VertexId, ElasticVertex> vertices;

    public ElasticityRestore(Map<VertexId, ElasticVertex> vertices) {
        this.vertices = vertices;
    }

    /** Where the vertices were. */
    public void restore(List<StoredElasticity.Vertex> places) {
        for (StoredElasticity.Vertex place : places) {
            ElasticVertex vertex = vertices.get(place.id);
            String misfit = misfit(place, vertex);
            if (misfit == null) {
                LOG.info("{} is restored with {} subtasks.", vertex, place.parallelism);
                vertex.settle(place.assignment, place.parallelism);
            } else {
                LOG.warn("What the checkpoint has does not fit the job: {}.", misfit);
            }
        }
    }

    /**
     * Where a rescale was to bring them.
     *
     * @param misfits is given why some cannot be there
     * @return the others
     */
    public List<RescaleTarget> targets(StoredElasticity.Rescale before, List<String> misfits) {
        List<RescaleTarget> targets = new ArrayList<>();
        for (StoredElasticity.Target target : before.targets) {
            ElasticVertex vertex = vertices.get(target.goal.id);
            String misfit = misfit(target.goal, vertex);
            if (misfit == null) {
                StoredElasticity.Vertex origin =
                        misfit(target.origin, vertex) == null ? target.origin : vertex.stable();
                targets.add(
                        new RescaleTarget(
                                vertex,
                                origin,
                                target.goal,
                                Planner.plan(
                                        vertex.assignment(),
                                        target.goal.assignment,
                                        before.batchSize)));
            } else {
                misfits.add(misfit);
            }
        }
        return targets;
    }

    /** Why a vertex cannot be at a place; null if it can. */
    @Nullable
    private static String misfit(StoredElasticity.Vertex place, @Nullable ElasticVertex vertex) {
        if (vertex == null) {
            return "it has no elastic vertex " + place.id;
        }
        boolean fits =
                place.parallelism <= vertex.capacity()
                        && place.assignment.parallelism() <= place.parallelism
                        && place.assignment.keyGroups() == vertex.maxParallelism();
        return fits
                ? null
                : vertex
                        + " cannot have "
                        + place.parallelism
                        + " subtasks and "
                        + place.assignment.keyGroups()
                        + " key-groups, as its capacity is "
                        + vertex.capacity()
                        + " (meces.rescale.max-parallelism) and its max parallelism "
                        + vertex.maxParallelism();
    }
}
