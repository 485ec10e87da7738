// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import java.time.Duration;

/**
 * Whether the checkpoint that is on its way moves. Its barriers wait in the queues of the tasks
 * like any record: behind a backlog, for as long as that takes. No task tells where a barrier is.
 * But a task that has its barriers writes its state, which takes about as long as the last time. So
 * a checkpoint <em>stands</em> if no task has taken part in it for longer than that, and a bit.
 *
 * <p>An incremental one stores what has moved once more, which can be much more than the last one
 * had to store. So tasks may also take as long as it took to move that.
 *
 * <p>Aborting one costs a recovery point. So none stands, by this, until another one has been
 * completed after the last that was aborted. Times are of one clock, in ns. Thread-safe.
 */
final class CheckpointProgress {

    /** What it takes barriers to get through tasks that keep up, on a busy machine. */
    static final Duration PATIENCE = Duration.ofMillis(300);

    private final long patienceNanos;
    private long movedAt;

    /** The newest in which a task has taken part. */
    private long current = -1;

    /** The longest that a task has written in it. */
    private long longestWrite;

    /** The same of the last one that was completed. */
    private long usualWrite;

    private boolean aborting;
    private boolean aborted;
    private int aborts;

    private boolean moving;
    private long movingSince;

    /** For how long state has moved that the last completed one does not have. */
    private long moveNanos;

    /** The part of it that the one has which is on its way. */
    private long passedMoveNanos;

    /** How much longer tasks may write in that one than in the last one. */
    private long longerNanos;

    CheckpointProgress(Duration patience, long nowNanos) {
        this.patienceNanos = patience.toNanos();
        this.movedAt = nowNanos;
    }

    /**
     * Barriers are about to be sent.
     *
     * @param longestNanos the longest that tasks may take because state has moved
     */
    synchronized void onPassed(long nowNanos, long longestNanos) {
        movedAt = nowNanos;
        countMove(nowNanos);
        passedMoveNanos = moveNanos;
        longerNanos = Math.min(moveNanos, longestNanos);
    }

    /** State moves from now on, or does not any more. */
    synchronized void onMoving(boolean moves, long nowNanos) {
        countMove(nowNanos);
        moving = moves;
    }

    private void countMove(long nowNanos) {
        moveNanos += moving ? nowNanos - movingSince : 0;
        movingSince = nowNanos;
    }

    /** A task has taken part in a checkpoint, and has written for so long. */
    synchronized void onAcknowledged(long id, long writeNanos, long nowNanos) {
        movedAt = nowNanos;
        if (id > current) {
            current = id;
            longestWrite = 0;
        }
        if (id == current) {
            longestWrite = Math.max(longestWrite, writeNanos);
        }
    }

    synchronized void onCompleted() {
        usualWrite = longestWrite;
        moveNanos -= passedMoveNanos;
        passedMoveNanos = 0;
        aborted = false;
    }

    /** One that stands is to be aborted, unless it ends meanwhile; or that has been done. */
    synchronized void onAborting(boolean begins) {
        aborting = begins;
    }

    /** One has been aborted because it stood. */
    synchronized void onAborted() {
        aborted = true;
        aborts++;
    }

    /** How many have been aborted so. */
    synchronized int aborts() {
        return aborts;
    }

    synchronized boolean stands(long nowNanos) {
        return !aborting
                && !aborted
                && nowNanos - movedAt > patienceNanos + usualWrite + longerNanos;
    }
}
