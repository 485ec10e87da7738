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
