// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import java.time.Duration;

/**
 * How often a rescale pauses between two steps for a checkpoint that waits: when it has migrated
 * for as long as the last pause took. So checkpoints make it take about twice as long at most,
 * however often they are due. Times are of one clock, in ns. Not thread-safe.
 */
public final class CheckpointPace {

    /** A checkpoint may wait so long for the end of that time, whatever the last one took. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** A checkpoint that waits may expire meanwhile, and then fails the job; it needs the rest. */
    public static final int SHARE_OF_TIMEOUT = 4;

    private boolean seldom;
    private final long longestNanos;
    private long pausedSince;
    private long resumedAt;
    private long dueAfterNanos;

    /**
     * @param seldom whether it pauses as seldom as it may
     * @param timeoutNanos after how long a checkpoint expires, the time that it waits included
     */
    public CheckpointPace(boolean seldom, long timeoutNanos) {
        this.seldom = seldom;
        this.longestNanos = Math.min(LONGEST.toNanos(), timeoutNanos / SHARE_OF_TIMEOUT);
    }

    /** From now on it pauses as seldom as it may. */
    public void slowDown() {
        seldom = true;
    }

    /** From now on no step runs. */
    public void pause(long nowNanos) {
        pausedSince = nowNanos;
    }

    /** Steps run again. */
    public void resume(long nowNanos) {
        resumedAt = nowNanos;
        dueAfterNanos = seldom ? longestNanos : Math.min(nowNanos - pausedSince, longestNanos);
    }

    /** Whether a checkpoint that waits has a pause; not while there is one. */
    public boolean isPauseDue(long nowNanos) {
        return untilPause(nowNanos, 0) <= 0;
    }

    /**
     * How long it is until there is a pause for a checkpoint that is triggered so long from now on;
     * 0 and less: there is one now.
     */
    public long untilPause(long nowNanos, long untilTriggeredNanos) {
        return Math.max(dueAfterNanos - (nowNanos - resumedAt), untilTriggeredNanos);
    }
}
