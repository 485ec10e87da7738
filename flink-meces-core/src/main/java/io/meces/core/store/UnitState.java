// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import io.meces.core.exchange.Priority;
import java.nio.ByteBuffer;
import javax.annotation.Nullable;

/**
 * The state of a task, as units. Made anew for each rescale; called by the task thread between two
 * elements.
 */
public interface UnitState {

    /**
     * Has operators that keep records in memory work them off: what they hold may be of a unit that
     * is about to leave.
     */
    void flush() throws Exception;

    /** Whether any state or timer has been registered by now. */
    default boolean isRegistered() {
        return true;
    }

    /**
     * What is needed to read the units that are extracted until something changes: the same array
     * as long as nothing does.
     */
    byte[] schema() throws Exception;

    /** Serialises a unit and removes it from the state. */
    byte[] extract(int unit) throws Exception;

    /** Learns how to read the units that follow from a donor in a priority. */
    void readSchema(int donor, Priority priority, byte[] schema) throws Exception;

    /** Puts a unit into the state. */
    void install(int donor, Priority priority, int unit, ByteBuffer state) throws Exception;

    /** The data that does not travel with the units; null if all does, as of state on the heap. */
    @Nullable
    default DeferredData deferred() {
        return null;
    }

    /** What broadcast records have left behind. */
    byte[] broadcastState() throws Exception;

    /** The counterpart of {@link #broadcastState}. */
    void installBroadcastState(byte[] state) throws Exception;

    /**
     * When the first event-time timer is to fire, be it asleep or not; {@link Long#MAX_VALUE} if
     * there is none.
     */
    long nextEventTime();

    /** The longest that a single unit has kept the task, in ns. */
    long longestStopNanos();
}
