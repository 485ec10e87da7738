// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.runtime.metrics.MetricNames;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.streaming.runtime.io.InputGateUtil;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.streaming.runtime.tasks.TimerService;

/** Makes the gates of a task. Task thread. */
final class TaskGates {

    private TaskGates() {}

    /** All gates of a task as one. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static TaskGate[] of(StreamTask<?, ?> task, TimerService timers) {
        return of(
                task, timers, new List[] {Arrays.asList(task.getEnvironment().getAllInputGates())});
    }

    /** The gates of each input of a task as one; barriers are aligned over all. */
    static TaskGate[] of(
            StreamTask<?, ?> task, TimerService timers, List<IndexedInputGate>[] gatesOfInputs) {
        CheckpointBarrierHandler barriers = Barriers.of(task, timers, gatesOfInputs);
        TaskIOMetricGroup metrics = task.getEnvironment().getMetricGroup().getIOMetricGroup();
        metrics.gauge(MetricNames.CHECKPOINT_ALIGNMENT_TIME, barriers::getAlignmentDurationNanos);
        metrics.gauge(
                MetricNames.CHECKPOINT_START_DELAY_TIME, barriers::getCheckpointStartDelayNanos);
        return Arrays.stream(gatesOfInputs)
                .map(
                        gates -> {
                            InputGate joint = InputGateUtil.createInputGate(gates);
                            return new TaskGate(
                                    joint, gates, barriers, StreamTaskAccess.mailbox(task));
                        })
                .toArray(TaskGate[]::new);
    }
}
