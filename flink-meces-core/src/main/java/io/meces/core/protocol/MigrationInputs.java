// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredKey;
import java.io.IOException;
import java.util.BitSet;
import javax.annotation.Nullable;

/**
 * The inputs of a task. Called by the task thread.
 *
 * @param <E> an element of an input
 */
public interface MigrationInputs<E extends MigratingElement> {

    /** Channels that can bring elements. */
    BitSet openChannels();

    /** Channels of which a record concerns all units. */
    BitSet broadcastChannels();

    /** The operator's watermark: the lowest of its inputs. */
    long watermark();

    /** What {@link #watermark} would be if nothing were held back. */
    long uncappedWatermark();

    /** Holds watermarks back from now on. */
    void closeWatermark();

    /** Lets watermarks rise up to a time that are held back. */
    void raiseWatermark(long watermark) throws Exception;

    /** An element that does something when it is processed, in order with others. */
    E action(TaskThread.Mail action);

    /** Hands an element to the operator. */
    void process(E element) throws Exception;

    /** The binary form of a record, to be forwarded. */
    byte[] serialize(E record) throws IOException;

    /**
     * The key of a record as the state has it; asked only where {@link
     * io.meces.core.store.UnitState#deferred} is.
     */
    default DeferredKey keyOf(E record) throws Exception {
        throw new UnsupportedOperationException("keys of records are not known");
    }

    /** The index of the operator's input that a record came on. */
    int inputOf(E record);

    /**
     * The counterpart of {@link #serialize}.
     *
     * @throws IOException if it is no record
     */
    E deserialize(byte[] record, int input, int channel, int unit) throws IOException;

    /** From now on elements go to a migration; null: to the operator. */
    void attach(@Nullable SubtaskMigration<E> migration);

    /** To be called when the migration may be read on. */
    void readOn();

    /** The subtask stays although its input has ended. */
    void holdEnd();

    /** The counterpart of {@link #holdEnd}. */
    void releaseEnd();
}
