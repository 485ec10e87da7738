// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.JobOutput;
import io.meces.runtime.shuffle.ProducerKeyPartitioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.YieldingOperatorFactory;

/**
 * The pointwise exchanges (forward, rescale) from an elastic vertex to one that is not, as
 * disableChaining(), startNewChain(), slot sharing groups, several consumers and unions make them.
 *
 * <p>A pointwise exchange connects a subtask with those of about the same index, which ends where
 * one side gets more subtasks. It is replaced by one in which all are connected, and results go by
 * the key of their producer ({@link ProducerKeyPartitioner}): as long as nothing has been rescaled
 * all but the same, and afterwards in order per key, as the same subtask gets them.
 */
final class PointwiseExchange {

    private PointwiseExchange() {}

    /** Why one of the vertex cannot be replaced; null if all can. */
    @Nullable
    static String refusal(JobVertex producer, ClassLoader userCode) {
        List<JobEdge> pointwise = of(producer);
        if (pointwise.isEmpty()) {
            return null;
        }
        String operator = operatorWithoutKey(producer, userCode);
        return operator == null
                ? null
                : "The exchange from '"
                        + producer.getName()
                        + "' to '"
                        + pointwise.get(0).getTarget().getName()
                        + "' is pointwise (forward or rescale), and operator '"
                        + operator
                        + "' may give results on later than it gets their records, or for no key."
                        + " Chain the two vertices, or put keyBy() between them,"
                        + " partitionCustom() by the same key, or rebalance() where the order of a"
                        + " key does not matter.";
    }

    /** What users of the vertex may not expect. */
    static List<String> warnings(JobVertex producer) {
        List<String> warnings = new ArrayList<>();
        for (JobEdge edge : of(producer)) {
            warnings.add(
                    "The exchange from '"
                            + producer.getName()
                            + "' to '"
                            + edge.getTarget().getName()
                            + "' was pointwise (forward or rescale). Results now go by the key of"
                            + " '"
                            + producer.getName()
                            + "' to one of the "
                            + edge.getTarget().getParallelism()
                            + " subtasks of '"
                            + edge.getTarget().getName()
                            + "', which is not rescaled with it. Chain the two to have both"
                            + " rescaled.");
        }
        return warnings;
    }

    private static List<JobEdge> of(JobVertex producer) {
        List<JobEdge> pointwise = new ArrayList<>();
        for (IntermediateDataSet dataSet : producer.getProducedDataSets()) {
            for (JobEdge edge : dataSet.getConsumers()) {
                if (edge.getDistributionPattern() == DistributionPattern.POINTWISE) {
                    pointwise.add(edge);
                }
            }
        }
        return pointwise;
    }

    /**
     * An operator of the chain, behind which the key of its input is not that of its output:
     * Flink's own emit what belongs to a record or timer while they process it, but for those that
     * wait for answers or for the end of a bundle. Of others nothing is known.
     */
    @Nullable
    private static String operatorWithoutKey(JobVertex producer, ClassLoader userCode) {
        for (StreamConfig config : chain(producer, userCode).values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            Class<?> type = factory.getStreamOperatorClass(userCode);
            boolean keyed = config.getStateKeySerializer(userCode) != null;
            if (factory instanceof YieldingOperatorFactory
                    || !isFlinks(factory, type)
                    || !keyed && holdsBundles(type)) {
                return config.getOperatorName();
            }
        }
        return null;
    }

    /** Of generated operators, which have no package, the factory is one of Flink. */
    private static boolean isFlinks(StreamOperatorFactory<?> factory, Class<?> operator) {
        return isFlinks(operator)
                || !(factory instanceof SimpleOperatorFactory) && isFlinks(factory.getClass());
    }

    private static boolean isFlinks(Class<?> type) {
        return type.getName().startsWith("org.apache.flink.");
    }

    private static boolean holdsBundles(Class<?> operator) {
        try {
            Class<?> declaring =
                    operator.getMethod("prepareSnapshotPreBarrier", long.class).getDeclaringClass();
            return declaring != AbstractStreamOperator.class
                    && declaring != AbstractStreamOperatorV2.class
                    && StreamOperator.class.isAssignableFrom(declaring);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Not an operator of Flink 1.12: " + operator, e);
        }
    }

    private static Map<Integer, StreamConfig> chain(JobVertex vertex, ClassLoader userCode) {
        return new StreamConfig(vertex.getConfiguration())
                .getTransitiveChainedTaskConfigsWithSelf(userCode);
    }

    /** Replaces all of an elastic vertex. */
    static void replaceAll(JobVertex producer, int maxParallelism, ClassLoader userCode) {
        List<JobEdge> pointwise = of(producer);
        if (pointwise.isEmpty()) {
            return;
        }
        List<JobOutput> outputs = JobOutput.of(producer, userCode);
        List<IntermediateDataSet> dataSets = producer.getProducedDataSets();
        for (int i = 0; i < outputs.size(); i++) {
            JobEdge edge = dataSets.get(i).getConsumers().get(0);
            if (pointwise.contains(edge)) {
                StreamConfig keyed =
                        lastKeyedBefore(outputs.get(i), chain(producer, userCode), userCode);
                outputs.get(i)
                        .setPartitioner(
                                new ProducerKeyPartitioner<>(
                                        keyed.getOperatorID(), maxParallelism));
                JobOutput.connectAll(edge, outputs.get(i).partitioner().toString());
            }
        }
        JobOutput.save(producer, outputs);
    }

    /** The head of the chain of an elastic vertex is keyed, so there is one. */
    private static StreamConfig lastKeyedBefore(
            JobOutput output, Map<Integer, StreamConfig> chain, ClassLoader loader) {
        StreamConfig config = chain.get(output.source());
        while (config.getStateKeySerializer(loader) == null) {
            config = predecessor(config, chain, loader);
        }
        return config;
    }

    private static StreamConfig predecessor(
            StreamConfig of, Map<Integer, StreamConfig> chain, ClassLoader loader) {
        for (StreamConfig config : chain.values()) {
            for (StreamEdge edge : config.getChainedOutputs(loader)) {
                if (edge.getTargetId() == of.getVertexID()) {
                    return config;
                }
            }
        }
        throw new IllegalStateException(of.getOperatorName() + " is behind no keyed operator");
    }
}
