// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

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
