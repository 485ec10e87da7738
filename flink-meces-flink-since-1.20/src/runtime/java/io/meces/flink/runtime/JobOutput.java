// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;

/**
 * An output of a job vertex, as its task is told of it. One of a streaming job has one reader. For
 * one thread.
 */
public final class JobOutput {

    private final NonChainedOutput output;

    /** As the reader knows it. */
    private final StreamEdge edge;

    private JobOutput(NonChainedOutput output, StreamEdge edge) {
        this.output = output;
        this.edge = edge;
    }

    /** Those of a vertex, in the order of its data sets. */
    public static List<JobOutput> of(JobVertex vertex, ClassLoader userCode) {
        List<JobOutput> outputs = new ArrayList<>();
        for (NonChainedOutput output :
                new StreamConfig(vertex.getConfiguration()).getVertexNonChainedOutputs(userCode)) {
            outputs.add(new JobOutput(output, edges(vertex, output, userCode).get(0)));
        }
        return outputs;
    }

    /** By reader. The edges of a vertex are in the order of its inputs. */
    private static List<StreamEdge> edges(
            JobVertex vertex, NonChainedOutput output, ClassLoader userCode) {
        List<StreamEdge> edges = new ArrayList<>();
        for (IntermediateDataSet dataSet : vertex.getProducedDataSets()) {
            if (!dataSet.getId().equals(output.getDataSetId())) {
                continue;
            }
            for (JobEdge consumer : dataSet.getConsumers()) {
                JobVertex target = consumer.getTarget();
                edges.add(
                        new StreamConfig(target.getConfiguration())
                                .getInPhysicalEdges(userCode)
                                .get(target.getInputs().indexOf(consumer)));
            }
        }
        return edges;
    }

    /**
     * Has the task of a vertex know what has been changed in {@link #of(JobVertex, ClassLoader)}.
     */
    public static void save(JobVertex vertex, List<JobOutput> outputs) {
        if (!outputs.isEmpty()) {
            StreamConfig config = new StreamConfig(vertex.getConfiguration());
            config.setVertexNonChainedOutputs(
                    outputs.stream().map(output -> output.output).collect(Collectors.toList()));
            config.serializeAllConfigs();
        }
    }

    /** The nodes in other vertices that read what an operator of a vertex emits. */
    public static List<Integer> readers(
            StreamConfig operator, JobVertex vertex, ClassLoader userCode) {
        List<Integer> readers = new ArrayList<>();
        for (NonChainedOutput output : operator.getOperatorNonChainedOutputs(userCode)) {
            edges(vertex, output, userCode).forEach(edge -> readers.add(edge.getTargetId()));
        }
        return readers;
    }

    /** Has each subtask of the producer connected with each of the consumer. */
    public static void connectAll(JobEdge edge, String strategy) {
        JobEdges.connectAll(edge, strategy);
    }

    /** The node that emits it. */
    public int source() {
        return output.getSourceNodeId();
    }

    /** Which input of the reading operator it is, from 0. */
    public int input() {
        return Math.max(0, edge.getTypeNumber() - 1);
    }

    public StreamPartitioner<?> partitioner() {
        return output.getPartitioner();
    }

    public void setPartitioner(StreamPartitioner<?> partitioner) {
        output.setPartitioner(partitioner);
    }
}
