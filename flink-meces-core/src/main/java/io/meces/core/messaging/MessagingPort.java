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

package io.meces.core.messaging;

/**
 * What a {@link ReliableMessaging} does in the world. Called by reliable messaging's owner thread.
 *
 * @param <M> a message
 */
public interface MessagingPort<M> {

    /** Sends a message, maybe not for the first time; it may get lost. */
    void transmit(int peer, Priority priority, long sequence, M message);

    /**
     * Tells a peer what has come from it; it may get lost.
     *
     * @param next per priority, by ordinal: the sequence number that is expected next
     */
    void acknowledge(int peer, long[] next);

    /** A message has come, once and in its turn. */
    void deliver(int peer, Priority priority, M message) throws Exception;

    /**
     * The peer has handled the message; {@link #release} follows.
     *
     * @param nanos since it was first sent
     */
    default void confirmed(int peer, Priority priority, M message, long nanos) {}

    /** The peer has got the message, or will never need it: what is kept for it can go. */
    void release(int peer, Priority priority, long sequence, M message);
}
