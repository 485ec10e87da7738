// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

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
