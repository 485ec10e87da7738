// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;

/** An output of a job vertex, as its task is told of it. For one thread. */
public final class JobOutput {

    private final StreamEdge edge;

    private JobOutput(StreamEdge edge) {
        this.edge = edge;
    }

    /** Those of a vertex, in the order of its data sets. */
    public static List<JobOutput> of(JobVertex vertex, ClassLoader userCode) {
        List<StreamEdge> edges =
                new StreamConfig(vertex.getConfiguration()).getOutEdgesInOrder(userCode);
        return edges == null
                ? Collections.emptyList()
                : edges.stream().map(JobOutput::new).collect(Collectors.toList());
    }

    /**
     * Has the task of a vertex know what has been changed in {@link #of(JobVertex, ClassLoader)}.
     */
    public static void save(JobVertex vertex, List<JobOutput> outputs) {
        if (!outputs.isEmpty()) {
            new StreamConfig(vertex.getConfiguration())
                    .setOutEdgesInOrder(
                            outputs.stream()
                                    .map(output -> output.edge)
                                    .collect(Collectors.toList()));
        }
    }

    /** The nodes in other vertices that read what an operator of a vertex emits. */
    public static List<Integer> readers(
            StreamConfig operator, JobVertex vertex, ClassLoader userCode) {
        List<Integer> readers = new ArrayList<>();
        operator.getNonChainedOutputs(userCode).forEach(edge -> readers.add(edge.getTargetId()));
        return readers;
    }

    /** Has each subtask of the producer connected with each of the consumer. */
    public static void connectAll(JobEdge edge, String strategy) {
        JobEdge all =
                new JobEdge(edge.getSource(), edge.getTarget(), DistributionPattern.ALL_TO_ALL);
        all.setShipStrategyName(strategy);
        all.setDownstreamSubtaskStateMapper(edge.getDownstreamSubtaskStateMapper());
        all.setUpstreamSubtaskStateMapper(edge.getUpstreamSubtaskStateMapper());
        Collections.replaceAll(edge.getSource().getConsumers(), edge, all);
        Collections.replaceAll(edge.getTarget().getInputs(), edge, all);
    }

    /** The node that emits it. */
    public int source() {
        return edge.getSourceId();
    }

    /** Which input of the reading operator it is, from 0. */
    public int input() {
        return Math.max(0, edge.getTypeNumber() - 1);
    }

    public StreamPartitioner<?> partitioner() {
        return edge.getPartitioner();
    }

    public void setPartitioner(StreamPartitioner<?> partitioner) {
        edge.setPartitioner(partitioner);
    }
}
