// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSet;
import org.apache.flink.runtime.jobgraph.JobEdge;

/** Changes edges of job graphs. */
final class JobEdges {

    private JobEdges() {}

    /** Has each subtask of the producer connected with each of the consumer. */
    static void connectAll(JobEdge edge, String strategy) {
        IntermediateDataSet source = edge.getSource();
        JobEdge all =
                new JobEdge(
                        source,
                        edge.getTarget(),
                        DistributionPattern.ALL_TO_ALL,
                        edge.isBroadcast());
        all.setShipStrategyName(strategy);
        all.setDownstreamSubtaskStateMapper(edge.getDownstreamSubtaskStateMapper());
        all.setUpstreamSubtaskStateMapper(edge.getUpstreamSubtaskStateMapper());
        // the data set takes the pattern of the first
        source.getConsumers().remove(edge);
        source.addConsumer(all);
        Collections.replaceAll(edge.getTarget().getInputs(), edge, all);
    }
}
