// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import io.meces.core.exchange.TaskThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Keyed data that is too large to travel with its unit: of a state on disk. A unit then brings
 * ownership, what is needed to read the data, and the timers of its keys, in microseconds ({@link
 * UnitState#extract} and {@link UnitState#install}). Its data follows: what a record needs by key,
 * at once; the rest of the key-group as a stream.
 *
 * <p><b>Donor.</b> A unit that has been extracted is <em>frozen</em>: nothing changes in its data
 * any more, and it is no longer part of the task's state ({@code getKeys} does not show it, nor
 * does a checkpoint). It is read by {@link #fetch} from then on, and by {@link #stream} when all
 * units of the key-group have been extracted. After {@link #drop} it is not needed any more; before
 * the next checkpoint, and before the key-group comes back, it must be gone.
 *
 * <p><b>Receiver.</b> From the installation of the first unit of a key-group until {@link
 * #complete} the data of a key is <em>here</em> if it has been put in by {@link #installKey}, and
 * not otherwise. No record of a key is processed, and no timer of it may fire, before its data is
 * here. So timers that came with a unit <em>sleep</em>: they are not with the operators' timer
 * services. {@link #installKey} wakes those of its key, {@link #complete} all others of the
 * key-group. In the order of a step:
 *
 * <ol>
 *   <li>The units of a key-group are installed; {@link #installKey} is called of keys whose unit
 *       has been.
 *   <li>When all of them have been, {@link #installChunks} gets all chunks of the donor's stream,
 *       in order, some at a time, and {@link #installKey} goes on.
 *   <li>{@link #complete}.
 * </ol>
 *
 * <p>A key that is new has no data at the donor: then what is fetched of it is empty, and it is
 * installed all the same.
 *
 * <p>Not everything of a step is sequential: several key-groups are given and taken at a time, each
 * in the order above. There is one of these objects for each rescale, as its {@link UnitState}. The
 * task thread calls it between two elements, and what may take long is not done in there: results
 * are handed over in the task thread later, by a mail, or before a method returns. A failure of
 * that fails the task.
 */
public interface DeferredData {

    // ------------------------------------------------------------------------
    //  Donor
    // ------------------------------------------------------------------------

    /**
     * Reads all that the operators have of a key of a frozen unit.
     *
     * @param whenRead is given its binary form, maybe empty, in the task thread; not when the
     *     key-group {@link #drop is gone}, nor after {@link #close}
     */
    void fetch(int keyGroup, DeferredKey key, Consumer<byte[]> whenRead) throws IOException;

    /**
     * Begins to read a key-group all of whose units are frozen.
     *
     * @param chunkBytes what a chunk should have at most; it has more if a single value has
     * @param whenMore is run, by any thread, when {@link Stream#poll} had nothing and that may have
     *     changed; must not block
     */
    Stream stream(int keyGroup, long chunkBytes, Runnable whenMore) throws IOException;

    /**
     * Frozen data of a key-group is not needed any more; the streams of it have been closed. No
     * checkpoint is taken, and the key-group does not come back, before all of it is gone.
     *
     * @param whenDropped run in the task thread when it is gone; before this method returns, if
     *     possible
     */
    void drop(int keyGroup, TaskThread.Mail whenDropped) throws Exception;

    /** The data of a key-group, as it is read in the background. Called by the task thread. */
    interface Stream {

        /**
         * The next chunk; null if none has been read yet, or none is left.
         *
         * @throws IOException if the data cannot be read
         */
        @Nullable
        byte[] poll() throws IOException;

        /** Whether no chunk is left. It may be known only after a {@link #poll}. */
        boolean isAtEnd();

        /** Ends reading, whether it has come to its end or not. */
        void close();
    }

    // ------------------------------------------------------------------------
    //  Receiver
    // ------------------------------------------------------------------------

    /**
     * Puts in all data of a key, and wakes its timers.
     *
     * @param data what {@link #fetch} has read there; a view
     */
    void installKey(int keyGroup, DeferredKey key, ByteBuffer data) throws Exception;

    /**
     * From how many bytes on chunks are put in together, as many of them as there are; fewer at the
     * end of a key-group. They wait in memory for that. 0 if each is put in at once. Asked often.
     */
    long gatheredBytes();

    /**
     * Puts in chunks of a key-group, but nothing of keys whose data has come by key, as that may
     * have changed since. {@link #installKey} goes on meanwhile, but for keys that are {@link
     * FetchedKeys#hold held}. As records may wait for these, keys are held only while they are
     * being written, not while that is prepared.
     *
     * @param chunks the next ones, in the order of the stream; they stay as they are, positions
     *     included
     * @param fetched the keys of the key-group whose data has come by key
     * @param whenInstalled run in the task thread when nothing is held any more; before this method
     *     returns, if possible
     */
    void installChunks(
            int keyGroup,
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            TaskThread.Mail whenInstalled)
            throws Exception;

    /**
     * All chunks of a key-group have been put in. Brings what they have into the state, if that has
     * not been done, and wakes the timers that still sleep. Until it is done, no record of the
     * key-group is processed, and the watermark does not rise, also if data of the key is here; but
     * processing-time timers of such keys may fire. What has changed of these keys must not be
     * replaced by what the chunks had.
     *
     * @param fetched the keys of the key-group whose data has come by key
     * @param whenComplete run in the task thread; before this method returns, if possible
     */
    void complete(int keyGroup, NavigableSet<DeferredKey> fetched, TaskThread.Mail whenComplete)
            throws Exception;

    /**
     * All data of a step has come, and is gone, and a checkpoint is likely to follow. The step ends
     * when that is settled: what the checkpoint would otherwise have to do in the task thread is
     * done before.
     *
     * @param whenSettled run in the task thread; before this method returns, if possible
     */
    void settle(TaskThread.Mail whenSettled) throws Exception;

    /**
     * Begins with that where no step has to wait for it: nothing comes and goes, but a checkpoint
     * is likely soon. Does nothing after {@link #close}.
     */
    void settleAhead() throws Exception;

    /**
     * Whether more chunks may be put in now, without slowing down the task. Asked every few ms;
     * donors send nothing more in the background for as long as the answer is no. What comes
     * meanwhile, some chunks, waits.
     */
    boolean hasRoom();

    /**
     * Keys with sleeping event-time timers that are due at a watermark; the watermark waits until
     * there are none.
     *
     * @param limit how many at most, so that many keys do not take long to be found
     */
    List<Sleeper> dueAt(long watermark, int limit);

    /** Keys with sleeping processing-time timers that are due by now. Asked every few ms. */
    List<Sleeper> dueNow(int limit);

    /** The rescale is over, or the task: ends all that still runs. */
    void close();

    /** A key with timers that sleep. Immutable. */
    final class Sleeper {
        private final int unit;
        private final DeferredKey key;

        public Sleeper(int unit, DeferredKey key) {
            this.unit = unit;
            this.key = key;
        }

        public int unit() {
            return unit;
        }

        public DeferredKey key() {
            return key;
        }

        @Override
        public String toString() {
            return key + " of unit " + unit;
        }
    }
}
