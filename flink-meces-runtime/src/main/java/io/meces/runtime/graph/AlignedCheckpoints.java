// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.AlignedTasks;
import io.meces.flink.runtime.CheckpointSettings;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;

/**
 * Has a job that asks for unaligned checkpoints take aligned ones. Records in flight, which an
 * unaligned one stores per channel, could be restored under the same assignment of key-groups only.
 *
 * <p>Stateless.
 */
final class AlignedCheckpoints {

    private AlignedCheckpoints() {}

    /** Whether the job asks for other ones. */
    static boolean areNotWanted(JobGraph graph) {
        JobCheckpointingSettings settings = graph.getCheckpointingSettings();
        return settings != null
                && settings.getCheckpointCoordinatorConfiguration().isUnalignedCheckpointsEnabled();
    }

    /** Changes what the coordinator, and what the tasks are told. */
    static void putInto(JobGraph graph) {
        JobCheckpointingSettings settings = graph.getCheckpointingSettings();
        graph.setSnapshotSettings(
                CheckpointSettings.with(
                        settings,
                        CheckpointSettings.aligned(
                                settings.getCheckpointCoordinatorConfiguration()),
                        settings.getMasterHooks()));
        AlignedTasks.putInto(graph);
    }
}
