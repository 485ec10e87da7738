// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;

/** What tasks are told of the alignment of checkpoints. Has no state. */
public final class AlignedTasks {

    private AlignedTasks() {}

    /** Has the tasks of a job align them. */
    public static void putInto(JobGraph graph) {
        for (JobVertex vertex : graph.getVertices()) {
            new StreamConfig(vertex.getConfiguration()).setUnalignedCheckpointsEnabled(false);
        }
    }
}
