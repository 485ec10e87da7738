// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.checkpoint.MasterTriggerRestoreHook;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.util.SerializedValue;

/** Copies of what a job says of its checkpoints, in which some things are other ones. Pure. */
public final class CheckpointSettings {

    /** Whether each checkpoint of a job with elastic vertices may be unaligned or not. */
    public static final boolean CAN_BE_UNALIGNED = false;

    private CheckpointSettings() {}

    /** Whether a checkpoint may come between timers that are due. */
    public static boolean interruptsTimers(JobGraph job) {
        return false;
    }

    /**
     * Why no checkpoint of a job completes once a task has finished; null: they do. Flink 1.12
     * begins one only if all sources run, and completes it only if all tasks do.
     */
    @Nullable
    public static String endWithTasks(@Nullable JobCheckpointingSettings settings) {
        return "Flink 1.12 completes no checkpoint after that";
    }

    /** Why state cannot move with how checkpoints are stored, and the remedy; null: it can. */
    @Nullable
    public static String refusal(JobGraph job, ReadableConfig cluster) {
        return null;
    }

    /** With another configuration and other master hooks. */
    public static JobCheckpointingSettings with(
            JobCheckpointingSettings settings,
            CheckpointCoordinatorConfiguration configuration,
            @Nullable SerializedValue<MasterTriggerRestoreHook.Factory[]> hooks) {
        return new JobCheckpointingSettings(
                settings.getVerticesToTrigger(),
                settings.getVerticesToAcknowledge(),
                settings.getVerticesToConfirm(),
                configuration,
                settings.getDefaultStateBackend(),
                hooks);
    }

    /** Without unaligned checkpoints. */
    public static CheckpointCoordinatorConfiguration aligned(
            CheckpointCoordinatorConfiguration unaligned) {
        return CheckpointCoordinatorConfiguration.builder()
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
    }
}
