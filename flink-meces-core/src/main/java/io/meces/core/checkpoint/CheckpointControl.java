// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import java.util.concurrent.CompletableFuture;

/**
 * Holds checkpoints back while a step runs. A checkpoint that is triggered then waits before any
 * barrier is injected. Called by the JobMaster's main thread.
 */
public interface CheckpointControl {

    /** From now on a checkpoint that is triggered waits. */
    void hold();

    /**
     * A task has told that it deletes what belongs elsewhere, and will tell again soon unless it is
     * done. Until it has not for a while a checkpoint that is triggered waits, and {@link #isQuiet}
     * says that it is not.
     */
    void onClearing();

    /** The id of the last checkpoint whose barriers have been sent; -1: there was none. */
    long lastPassed();

    /** Lets the waiting checkpoint, if there is one, and later ones go. */
    void release();

    /**
     * Whether no checkpoint has barriers on their way. While checkpoints are held back, and none is
     * let pass, that stays so. Does not wait for the coordinator, which may be storing one: that
     * the last one has ended can be told a little later, to who asks again. Not while a task {@link
     * #onClearing deletes what belongs elsewhere}.
     */
    boolean isQuiet();

    /**
     * Whether a restart would find no records in flight in what it restores, as an unaligned
     * checkpoint has them: they can be restored under the assignment of their time alone. To be
     * asked while checkpoints are held back and {@link #isQuiet() none is on its way}; it stays so
     * then. Completed by the main thread, some time later: the coordinator may be storing one.
     */
    CompletableFuture<Boolean> restoresNothingInFlight();

    /** Has checkpoints that are on their way now aborted soon, but no savepoints. */
    void abortRunning();

    /**
     * The same if those that are on their way do not move, as their barriers stand behind a
     * backlog; unless one has been aborted for that and none has been completed since.
     */
    void abortStanding();

    /**
     * How many times {@link #abortStanding} has found any to abort: one that seems to stand may be
     * about to complete. Counted before {@link #isQuiet} is true for it.
     */
    int standingAborts();

    /** Whether a checkpoint waits to be released. */
    boolean isOneWaiting();

    /** Whether somebody waits for a savepoint; it may still be behind a checkpoint that waits. */
    boolean isSavepointAwaited();

    /** After how long a checkpoint expires, the time that it waits included, in ns. */
    long timeoutNanos();

    /** Whether the job has checkpoints at all. */
    boolean isEnabled();

    /** How often checkpoints begin, as long as they are quick; without them, never. */
    long intervalMillis();

    /**
     * How long it is until the next one is likely to begin, in ns; 0: it is late. Without
     * checkpoints some weeks.
     */
    long untilNextNanos();

    /**
     * Lets one checkpoint go while others are held back: that which waits, or a new one. Completes
     * with its id when the coordinator has it, which is before it has been stored and confirmed to
     * the tasks. Fails if {@link #release()} comes before it has begun; and if it is a savepoint
     * that the job does not restart from, of which no task is told.
     */
    CompletableFuture<Long> letOnePass();

    /**
     * Has a checkpoint taken soon, unless one is on its way, so that what has changed is stored.
     * Whether it completes is not waited for.
     */
    void requestOne();

    /** From now on the longest time without a completed checkpoint is measured. */
    void measureGaps();

    /** The longest time without a completed checkpoint since {@link #measureGaps()}, in ns. */
    long longestGapNanos();
}
