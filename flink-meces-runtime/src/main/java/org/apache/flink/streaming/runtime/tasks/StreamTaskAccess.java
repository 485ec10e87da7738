// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.streaming.runtime.tasks;

import org.apache.flink.streaming.api.operators.MailboxExecutor;

/** Bridge: what a task must have to make its inputs itself. */
public final class StreamTaskAccess {

    private StreamTaskAccess() {}

    public static MailboxExecutor mailbox(StreamTask<?, ?> task) {
        return task.mainMailboxExecutor;
    }

    public static SubtaskCheckpointCoordinator checkpointCoordinator(StreamTask<?, ?> task) {
        return task.getCheckpointCoordinator();
    }

    public static String nameWithSubtaskAndId(StreamTask<?, ?> task) {
        return task.getTaskNameWithSubtaskAndId();
    }
}
