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

package io.meces.core.migration;

import io.meces.core.messaging.Priority;
import java.util.UUID;

/**
 * How a subtask reaches its peers, and what it shares with other tasks for that. Called by the task
 * thread.
 */
public interface PeerLink {

    /**
     * Sends a message, maybe not for the first time. It may get lost, come more than once, and
     * after others that were sent later.
     *
     * @param sequence its position in the priority; -1 for an acknowledgement
     */
    void send(UUID rescale, int peer, Priority priority, long sequence, PeerMessage message);

    /** What is kept for a message that was sent can go. */
    void release(UUID rescale, int peer, Priority priority, long sequence, PeerMessage message);

    /** Bytes of units that are on their way, of all tasks that share the memory for them. */
    InFlightBytes inFlight();

    ExchangeMetrics metrics();
}
