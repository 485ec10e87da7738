// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import javax.annotation.Nullable;

/**
 * Carries messages between tasks as best it can: while a connection or a server is away, or slower
 * than what is sent, a message may get lost, come twice or late, and overtake another. Otherwise
 * each comes, those of a priority in order. What comes is what was sent, unharmed. That each
 * message is handled once and in order is the business of {@link
 * io.meces.core.exchange.ReliableMessaging}, which sends again what is not acknowledged.
 *
 * <p>A service lives as long as its TaskManager. Thread-safe.
 */
public interface TransitionService extends AutoCloseable {

    /** Where this service is reached; the same at each call. */
    TransitionAddress address();

    /**
     * Accepts messages for a task from now on.
     *
     * @throws IllegalStateException if the task has an inbox already
     */
    void register(AttemptId task, TransitionInbox inbox);

    /** Drops what still comes for the task. Does nothing if it is not registered. */
    void unregister(AttemptId task);

    /** Gets ready to send to another service, so that the first message does not wait for that. */
    void prepare(TransitionAddress to);

    /**
     * Sends a message to the task {@link TransitionMessage#receiver()}, maybe not for the first
     * time. Does not block.
     *
     * @throws IllegalArgumentException if it is longer than {@link TransitionCodec#MAX_LENGTH}
     */
    void send(TransitionAddress to, TransitionMessage message);

    /**
     * A message that was sent, once or more, has been handled by its receiver or is not needed any
     * more: what the service keeps for it is to be dropped, here and wherever else. Does not block.
     */
    void release(TransitionAddress to, TransitionMessage message);

    /**
     * Uses the service for nothing, so that the first rescale finds code that is loaded and
     * compiled and connections that stand. May take some 100 ms.
     */
    default void practice() throws InterruptedException {}

    /**
     * Whether messages go to their receiver without a detour by servers, so that an answer comes
     * soon even if little is sent ahead of it.
     */
    default boolean isDirect() {
        return true;
    }

    /**
     * What keeps messages from getting through at the moment, for whoever waits for them; null:
     * nothing that is known. Does not block.
     */
    @Nullable
    default String outage() {
        return null;
    }

    @Override
    void close();
}
