// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.checkpoint.MasterTriggerRestoreHook;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.util.SerializedValue;

/** Copies of what a job says of its checkpoints, in which some things are other ones. Pure. */
public final class CheckpointSettings {

    /** Whether each checkpoint of a job with elastic vertices may be unaligned or not. */
    public static final boolean CAN_BE_UNALIGNED = true;

    private CheckpointSettings() {}

    /** Whether a checkpoint may come between timers that are due, and records with it. */
    public static boolean interruptsTimers(JobGraph job) {
        ConfigOption<Boolean> interrupts =
                CheckpointingOptions.ENABLE_UNALIGNED_INTERRUPTIBLE_TIMERS;
        if (job.getJobConfiguration().get(interrupts)) {
            return true;
        }
        // on Flink 1.20 each vertex is told
        for (JobVertex vertex : job.getVertices()) {
            if (vertex.getConfiguration().get(interrupts)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Why no checkpoint of a job completes once a task has finished; null: they do, as FLIP-147 has
     * it.
     */
    @Nullable
    public static String endWithTasks(@Nullable JobCheckpointingSettings settings) {
        return settings == null
                        || settings.getCheckpointCoordinatorConfiguration()
                                .isEnableCheckpointsAfterTasksFinish()
                ? null
                : "With "
                        + CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH.key()
                        + ": false no checkpoint completes after that";
    }

    /**
     * Why state cannot move with how checkpoints are stored, and the remedy; null: it can. Where
     * files are merged (FLIP-306), a TaskManager deletes those of a subtask that has left it.
     */
    @Nullable
    public static String refusal(JobGraph job, ReadableConfig cluster) {
        return job.getJobConfiguration()
                        .getOptional(CheckpointingOptions.FILE_MERGING_ENABLED)
                        .orElse(cluster.get(CheckpointingOptions.FILE_MERGING_ENABLED))
                ? "The job has Flink merge files of checkpoints, also those of state that moves."
                        + " Set "
                        + CheckpointingOptions.FILE_MERGING_ENABLED.key()
                        + ": false."
                : null;
    }

    /** With another configuration and other master hooks. */
    public static JobCheckpointingSettings with(
            JobCheckpointingSettings settings,
            CheckpointCoordinatorConfiguration configuration,
            @Nullable SerializedValue<MasterTriggerRestoreHook.Factory[]> hooks) {
        return new JobCheckpointingSettings(
                configuration,
                settings.getDefaultStateBackend(),
                settings.isChangelogStateBackendEnabled(),
                settings.getDefaultCheckpointStorage(),
                hooks);
    }

    /** Without unaligned checkpoints. */
    public static CheckpointCoordinatorConfiguration aligned(
            CheckpointCoordinatorConfiguration unaligned) {
        return CheckpointCoordinatorConfiguration.builder()
                .setCheckpointInterval(unaligned.getCheckpointInterval())
                .setCheckpointIntervalDuringBacklog(unaligned.getCheckpointIntervalDuringBacklog())
                .setCheckpointTimeout(unaligned.getCheckpointTimeout())
                .setMinPauseBetweenCheckpoints(unaligned.getMinPauseBetweenCheckpoints())
                .setMaxConcurrentCheckpoints(unaligned.getMaxConcurrentCheckpoints())
                .setCheckpointRetentionPolicy(unaligned.getCheckpointRetentionPolicy())
                .setExactlyOnce(unaligned.isExactlyOnce())
                .setTolerableCheckpointFailureNumber(
                        unaligned.getTolerableCheckpointFailureNumber())
                .setUnalignedCheckpointsEnabled(false)
                .setCheckpointIdOfIgnoredInFlightData(
                        unaligned.getCheckpointIdOfIgnoredInFlightData())
                .setEnableCheckpointsAfterTasksFinish(
                        unaligned.isEnableCheckpointsAfterTasksFinish())
                .build();
    }
}
