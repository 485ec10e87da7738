// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;

/** What tasks are told of the alignment of checkpoints. Has no state. */
public final class AlignedTasks {

    private AlignedTasks() {}

    /** Has the tasks of a job align them. They look into the configuration of the job. */
    public static void putInto(JobGraph graph) {
        graph.getJobConfiguration().set(CheckpointingOptions.ENABLE_UNALIGNED, false);
    }
}
