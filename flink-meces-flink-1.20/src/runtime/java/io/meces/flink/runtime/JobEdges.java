// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.JobEdge;

/** Makes edges of job graphs. Pure. */
final class JobEdges {

    private JobEdges() {}

    /** Like another one, with each subtask connected to all. */
    static JobEdge allToAll(JobEdge edge) {
        return new JobEdge(
                edge.getSource(),
                edge.getTarget(),
                DistributionPattern.ALL_TO_ALL,
                edge.isBroadcast());
    }
}
