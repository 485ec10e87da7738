// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.ReadAheadUse;
import io.meces.core.waiting.ReadAheadMemory;

/**
 * For how long a subtask reads its input ahead at a time, and how much of it may wait in memory.
 * Owned by the task thread.
 */
final class ReadAhead {

    /** What an element takes on the heap besides its fields, in bytes: the objects around them. */
    private static final int OVERHEAD = 150;

    /** What a byte of a network buffer becomes on the heap: most fields are objects. */
    private static final int EXPANSION = 3;

    private final MigrationSettings.Pace pace;
    private final ReadAheadMemory.Share memory;
    private long elements;
    private long bytes;
    private long turnEnded;

    /** What this task used of the memory when the step began. */
    private double usedBefore;

    /**
     * @param now of a clock in ns
     */
    ReadAhead(MigrationSettings.Pace pace, ReadAheadMemory.Share memory, long now) {
        this.pace = pace;
        this.memory = memory;
        this.turnEnded = now;
    }

    /** Takes over how large the elements are that an earlier rescale has read. */
    void adopt(ReadAhead previous) {
        elements += previous.elements;
        bytes += previous.bytes;
    }

    /** Whether so much waits that no more should be read. */
    boolean isFull(int waiting) {
        return waiting >= pace.maxBacklog || memory.isFull();
    }

    /**
     * A turn begins.
     *
     * @return until when it may go on reading ahead: for as long as others have had the thread
     *     since the last turn, so that timers which fire all the time do not keep it from the
     *     markers
     */
    long beginTurn(long now) {
        return now + Math.min(now - turnEnded, pace.turnNanos);
    }

    /** A turn has ended that has read so many elements from so many bytes. */
    void endTurn(long now, int elementsRead, long bytesRead) {
        turnEnded = now;
        elements += elementsRead;
        bytes += bytesRead;
    }

    /** A step begins. */
    void startStep() {
        usedBefore = memory.ofLimit();
    }

    /** A step is over; so many elements wait now. */
    ReadAheadUse endStep(int waiting) {
        onWaiting(waiting);
        return new ReadAheadUse(memory.usedByAll(), memory.ofLimit() - usedBefore);
    }

    /** So many elements wait now. */
    void onWaiting(int waiting) {
        memory.use(waiting * (OVERHEAD + EXPANSION * bytes / Math.max(1, elements)));
    }
}
