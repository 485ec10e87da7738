// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.runtime.io.InputProcessorUtil;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;

/** Makes the gates of a task. Task thread. */
final class TaskGates {

    private TaskGates() {}

    /** All gates of a task as one. */
    static TaskGate of(StreamTask<?, ?> task) {
        return new TaskGate(
                InputProcessorUtil.createCheckpointedInputGate(
                        task,
                        task.getConfiguration(),
                        StreamTaskAccess.checkpointCoordinator(task),
                        task.getEnvironment().getAllInputGates(),
                        task.getEnvironment().getMetricGroup().getIOMetricGroup(),
                        StreamTaskAccess.nameWithSubtaskAndId(task),
                        StreamTaskAccess.mailbox(task)));
    }

    /** The gates of each input of a task as one; barriers are aligned over all. */
    static TaskGate[] of(StreamTask<?, ?> task, List<IndexedInputGate>[] gatesOfInputs) {
        return Arrays.stream(
                        InputProcessorUtil.createCheckpointedMultipleInputGate(
                                task,
                                task.getConfiguration(),
                                StreamTaskAccess.checkpointCoordinator(task),
                                task.getEnvironment().getMetricGroup().getIOMetricGroup(),
                                StreamTaskAccess.nameWithSubtaskAndId(task),
                                StreamTaskAccess.mailbox(task),
                                gatesOfInputs,
                                Collections.emptyList()))
                .map(TaskGate::new)
                .toArray(TaskGate[]::new);
    }
}
