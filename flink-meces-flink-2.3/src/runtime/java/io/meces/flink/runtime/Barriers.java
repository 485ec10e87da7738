// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.partition.consumer.EndOfOutputChannelStateEvent;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.io.checkpointing.InputProcessorUtil;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.streaming.runtime.tasks.TimerService;

/** What a task knows of barriers. Task thread. */
final class Barriers {

    private Barriers() {}

    /** Aligns those of all gates of a task. */
    static CheckpointBarrierHandler of(
            StreamTask<?, ?> task, TimerService timers, List<IndexedInputGate>[] gatesOfInputs) {
        return InputProcessorUtil.createCheckpointBarrierHandler(
                task,
                task.getEnvironment().getJobConfiguration(),
                task.getConfiguration(),
                StreamTaskAccess.checkpointCoordinator(task),
                StreamTaskAccess.nameWithSubtaskAndId(task),
                gatesOfInputs,
                Collections.emptyList(),
                StreamTaskAccess.mailbox(task),
                timers);
    }

    /** Whether all that a producer has restored of records in flight has come. */
    static boolean isEndOfRestored(AbstractEvent event) {
        return event instanceof EndOfOutputChannelStateEvent;
    }
}
