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

package io.meces.runtime.transition;

import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Carries messages between tasks. Thread-safe. Messages from one task to another arrive once, in
 * the order in which they were sent, or the {@link TransitionInbox} of the sender is told that its
 * peer is lost.
 */
public interface TransitionService extends AutoCloseable {

    /** Where this service listens; the host may be the one for all interfaces. */
    TransitionAddress address();

    /**
     * Accepts messages for a task from now on.
     *
     * @throws IllegalStateException if the task has an inbox already
     */
    void register(ExecutionAttemptID task, TransitionInbox inbox);

    /** Drops what still comes for the task. Does nothing if it is not registered. */
    void unregister(ExecutionAttemptID task);

    /** Gets ready to send to another service, so that the first message does not wait for that. */
    void prepare(TransitionAddress to);

    /** Sends a message to the task {@link TransitionMessage#receiver()}. Does not block. */
    void send(TransitionAddress to, TransitionMessage message);

    @Override
    void close();
}
