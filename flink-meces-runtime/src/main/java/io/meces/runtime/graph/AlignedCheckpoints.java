// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.AlignedTasks;
import io.meces.flink.runtime.CheckpointSettings;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.MecesOptions.UnalignedCheckpoints;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;

/**
 * Has a job that asks for unaligned checkpoints take aligned ones: all of them, or those that come
 * while a rescale runs. Records in flight, which an unaligned one stores per channel, can be
 * restored under the same assignment of key-groups only.
 *
 * <p>Stateless.
 */
public final class AlignedCheckpoints {

    private AlignedCheckpoints() {}

    /** Whether the job asks for other ones. */
    public static boolean areNotWanted(JobGraph graph) {
        JobCheckpointingSettings settings = graph.getCheckpointingSettings();
        return settings != null
                && settings.getCheckpointCoordinatorConfiguration().isUnalignedCheckpointsEnabled();
    }

    /** What becomes of the other ones that a job asks for. */
    static UnalignedCheckpoints use(Configuration cluster) {
        UnalignedCheckpoints wanted = cluster.get(MecesOptions.UNALIGNED_CHECKPOINTS);
        return wanted == UnalignedCheckpoints.AT_REST && !CheckpointSettings.CAN_BE_UNALIGNED
                ? UnalignedCheckpoints.REFUSE
                : wanted;
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
