// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.id.DataSetId;
import io.meces.core.job.ElasticVertex;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.shuffle.PartitionElasticity;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/** The elastic vertices of a job, by id. The map is immutable; any thread may read it. */
final class ElasticTopology {

    private final Map<JobVertexID, ElasticVertex> vertices = new LinkedHashMap<>();

    ElasticTopology(List<ElasticVertex> vertices) {
        vertices.forEach(v -> this.vertices.put(FlinkIds.flinks(v.id()), v));
    }

    Collection<ElasticVertex> vertices() {
        return Collections.unmodifiableCollection(vertices.values());
    }

    @Nullable
    ElasticVertex get(JobVertexID id) {
        return vertices.get(id);
    }

    /** Whether a subtask is, or shall be, deployed. Main thread only. */
    boolean isActive(ExecutionVertexID subtask) {
        ElasticVertex vertex = vertices.get(subtask.getJobVertexId());
        return vertex == null || subtask.getSubtaskIndex() < vertex.deployed();
    }

    /** Whether a subtask takes part in the job, and does not leave. Main thread only. */
    boolean isConnected(ExecutionVertexID subtask) {
        ElasticVertex vertex = vertices.get(subtask.getJobVertexId());
        return vertex == null
                || subtask.getSubtaskIndex() < Math.min(vertex.connected(), vertex.deployed());
    }

    /**
     * What its tasks must know of a partition; null if no elastic vertex makes or reads it.
     *
     * @param finished whether the subtask that makes it has finished; asked by any thread
     */
    @Nullable
    Supplier<PartitionElasticity> elasticityOf(
            IntermediateDataSetID dataSet, BooleanSupplier finished) {
        DataSetId id = FlinkIds.of(dataSet);
        ElasticVertex producer = null;
        ElasticVertex consumer = null;
        for (ElasticVertex v : vertices.values()) {
            if (v.outputs().contains(id)) {
                producer = v;
            }
            if (v.inputs().contains(id)) {
                consumer = v;
            }
        }
        if (producer == null && consumer == null) {
            return null;
        }
        ElasticVertex p = producer;
        ElasticVertex c = consumer;
        return () ->
                new PartitionElasticity(
                        dataSet,
                        p == null ? null : p.layout(),
                        c == null ? null : c.layout(),
                        finished.getAsBoolean());
    }
}
