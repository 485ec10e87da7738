/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.graph;

import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.streaming.api.graph.StreamConfig;

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
        CheckpointCoordinatorConfiguration unaligned =
                settings.getCheckpointCoordinatorConfiguration();
        CheckpointCoordinatorConfiguration aligned =
                CheckpointCoordinatorConfiguration.builder()
                        .setCheckpointInterval(unaligned.getCheckpointInterval())
                        .setCheckpointTimeout(unaligned.getCheckpointTimeout())
                        .setMinPauseBetweenCheckpoints(unaligned.getMinPauseBetweenCheckpoints())
                        .setMaxConcurrentCheckpoints(unaligned.getMaxConcurrentCheckpoints())
                        .setCheckpointRetentionPolicy(unaligned.getCheckpointRetentionPolicy())
                        .setExactlyOnce(unaligned.isExactlyOnce())
                        .setPreferCheckpointForRecovery(unaligned.isPreferCheckpointForRecovery())
                        .setTolerableCheckpointFailureNumber(
                                unaligned.getTolerableCheckpointFailureNumber())
                        .setUnalignedCheckpointsEnabled(false)
                        .build();
        graph.setSnapshotSettings(
                new JobCheckpointingSettings(
                        settings.getVerticesToTrigger(),
                        settings.getVerticesToAcknowledge(),
                        settings.getVerticesToConfirm(),
                        aligned,
                        settings.getDefaultStateBackend(),
                        settings.getMasterHooks()));
        for (JobVertex vertex : graph.getVertices()) {
            new StreamConfig(vertex.getConfiguration()).setUnalignedCheckpointsEnabled(false);
        }
    }
}
