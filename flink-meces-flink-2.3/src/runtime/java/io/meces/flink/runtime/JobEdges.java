// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.JobEdge;

/** Changes edges of job graphs. */
final class JobEdges {

    private JobEdges() {}

    /** Has each subtask of the producer connected with each of the consumer. */
    static void connectAll(JobEdge edge, String strategy) {
        edge.updateDistributionPattern(
                false,
                DistributionPattern.ALL_TO_ALL,
                edge.getUpstreamSubtaskStateMapper(),
                edge.getDownstreamSubtaskStateMapper(),
                strategy);
    }
}
