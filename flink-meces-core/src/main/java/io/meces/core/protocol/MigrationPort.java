// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.StepStatistics;
import java.util.BitSet;

/**
 * What {@link SubtaskMigration} asks of the world around it. Called by the thread that drives the
 * migration (the task thread).
 *
 * <p>Messages to one peer arrive there in the order in which they were sent, or the step fails.
 *
 * @param <E> an element of the input: a record with its channel, a watermark, …
 */
public interface MigrationPort<E> {

    /** The time of a clock that does not go back, in ns. */
    long nanoTime();

    /** Whether the operators have registered state or timers by now. */
    default boolean hasState() {
        return true;
    }

    /**
     * Takes a unit out of the state and sends it.
     *
     * @return the serialised size in bytes
     */
    long sendUnit(int receiver, int unit, boolean onDemand) throws Exception;

    /**
     * Sends a record of a unit that has left, which came before the marker of its channel. It may
     * overtake the unit, but none of those that were forwarded after it, nor {@link #sendPassed} or
     * {@link #sendAligned}.
     */
    void forward(int receiver, int unit, E record) throws Exception;

    /**
     * Sends a record of a unit that is about to leave on demand. It arrives, as one that goes ahead
     * of its unit, before the unit and in order with others of that kind.
     */
    void forwardAhead(int receiver, int unit, E record) throws Exception;

    /**
     * Says that everything of this channel that came before the marker has been processed here or
     * forwarded.
     */
    void sendPassed(int receiver, int channel) throws Exception;

    /**
     * Says the same of all channels: the donor is aligned, and nothing will be forwarded any more.
     */
    void sendAligned(int receiver) throws Exception;

    /** Asks for a unit that a record waits for. */
    void sendRequest(int donor, int unit) throws Exception;

    /** Sends the state that broadcast records have left behind, as it is now. */
    void sendBroadcastState(BitSet receivers) throws Exception;

    /** This subtask's part of the step is over. Called once per step. */
    void stepCompleted(long step, StepStatistics statistics) throws Exception;
}
