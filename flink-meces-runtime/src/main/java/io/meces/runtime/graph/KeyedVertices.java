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

package io.meces.runtime.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.runtime.partitioner.BroadcastPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;

/** Which vertices of a job graph are keyed, and what is around them. */
final class KeyedVertices {

    private KeyedVertices() {}

    /** The vertices of which some inputs are keyed and the others broadcast. */
    static Set<JobVertex> of(JobGraph graph, ClassLoader userCode) {
        Map<JobVertex, List<StreamEdge>> inputs = new HashMap<>();
        for (JobVertex vertex : graph.getVertices()) {
            List<StreamEdge> edges = outEdges(vertex, userCode);
            for (int i = 0; i < edges.size(); i++) {
                inputs.computeIfAbsent(consumer(vertex, i), v -> new ArrayList<>())
                        .add(edges.get(i));
            }
        }
        Set<JobVertex> keyed = new HashSet<>();
        inputs.forEach(
                (vertex, edges) -> {
                    if (edges.size() == vertex.getNumberOfInputs()
                            && edges.stream().anyMatch(KeyedVertices::isKeyed)
                            && edges.stream()
                                    .allMatch(e -> isKeyedOrBroadcast(vertex, e, userCode))) {
                        keyed.add(vertex);
                    }
                });
        return keyed;
    }

    static boolean isKeyed(StreamEdge edge) {
        return edge.getPartitioner() instanceof KeyGroupStreamPartitioner;
    }

    /** Edges of one input of an operator are all of the same kind then. */
    private static boolean isKeyedOrBroadcast(
            JobVertex consumer, StreamEdge edge, ClassLoader userCode) {
        int input = Math.max(0, edge.getTypeNumber() - 1);
        boolean hasKey =
                new StreamConfig(consumer.getConfiguration()).getStatePartitioner(input, userCode)
                        != null;
        return hasKey ? isKeyed(edge) : edge.getPartitioner() instanceof BroadcastPartitioner;
    }

    static List<StreamEdge> outEdges(JobVertex vertex, ClassLoader userCode) {
        List<StreamEdge> edges =
                new StreamConfig(vertex.getConfiguration()).getOutEdgesInOrder(userCode);
        return edges == null ? Collections.emptyList() : edges;
    }

    static JobVertex consumer(JobVertex producer, int output) {
        return producer.getProducedDataSets().get(output).getConsumers().get(0).getTarget();
    }

    /** The elastic vertices, what they read from and what reads from them. */
    static Set<JobVertex> neighbourhood(Set<JobVertex> keyed) {
        Set<JobVertex> all = new HashSet<>(keyed);
        for (JobVertex vertex : keyed) {
            for (JobEdge edge : vertex.getInputs()) {
                all.add(edge.getSource().getProducer());
            }
            for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
                dataSet.getConsumers().forEach(edge -> all.add(edge.getTarget()));
            }
        }
        return all;
    }
}
