// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.JobOutput;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.partitioner.BroadcastPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;

/** Which vertices of a job graph are keyed, and what is around them. */
final class KeyedVertices {

    private KeyedVertices() {}

    /**
     * The vertices of which some inputs are keyed and the others broadcast, from the sources on: of
     * several reasons for a refusal the same one is always told.
     */
    static Set<JobVertex> of(JobGraph graph, ClassLoader userCode) {
        Map<JobVertex, List<JobOutput>> inputs = new LinkedHashMap<>();
        for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
            List<JobOutput> outputs = JobOutput.of(vertex, userCode);
            for (int i = 0; i < outputs.size(); i++) {
                inputs.computeIfAbsent(consumer(vertex, i), v -> new ArrayList<>())
                        .add(outputs.get(i));
            }
        }
        Set<JobVertex> keyed = new LinkedHashSet<>();
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

    static boolean isKeyed(JobOutput output) {
        return output.partitioner() instanceof KeyGroupStreamPartitioner;
    }

    /** Edges of one input of an operator are all of the same kind then. */
    private static boolean isKeyedOrBroadcast(
            JobVertex consumer, JobOutput output, ClassLoader userCode) {
        boolean hasKey =
                new StreamConfig(consumer.getConfiguration())
                                .getStatePartitioner(output.input(), userCode)
                        != null;
        return hasKey ? isKeyed(output) : output.partitioner() instanceof BroadcastPartitioner;
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
