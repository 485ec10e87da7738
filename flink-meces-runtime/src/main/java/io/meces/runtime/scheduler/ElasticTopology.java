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

package io.meces.runtime.scheduler;

import io.meces.core.id.DataSetId;
import io.meces.core.rescale.ElasticVertex;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.shuffle.PartitionElasticity;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** What its tasks must know of a data set; null if no elastic vertex makes or reads it. */
    @Nullable
    Supplier<PartitionElasticity> elasticityOf(IntermediateDataSetID dataSet) {
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
                        dataSet, p == null ? null : p.layout(), c == null ? null : c.layout());
    }
}
