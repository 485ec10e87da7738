// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.core.command.EventTime;
import io.meces.core.id.AttemptId;
import io.meces.core.job.EventTimeForecast;
import io.meces.core.job.Participants;
import io.meces.core.plan.MovesLeft;
import io.meces.core.rescale.state.VertexScaling;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * When the rescale of a vertex yields to timers: if a watermark that has some fire would have to
 * wait for the end of what is to be done next, it goes first. Once before each step; more and more
 * seldom while that is in vain, as event time may stand still, or be slower than the clock.
 *
 * <p>Owned by the JobMaster's main thread.
 */
final class WatermarkPrecedence {

    /** For how many steps' time at most, besides what is to be done next. */
    private static final int LONGEST = 4;

    /** After so many in vain the next 31 steps do not yield. */
    private static final int MOST_IN_VAIN = 5;

    private final VertexScaling scaling;
    private final Participants participants;
    private final EventTimeForecast forecast;

    /** Before which step it may yield again. */
    private int next;

    private int inVain;

    WatermarkPrecedence(
            VertexScaling scaling, Participants participants, EventTimeForecast forecast) {
        this.scaling = scaling;
        this.participants = participants;
        this.forecast = forecast;
    }

    /** A subtask has told how far it is. */
    void observe(AttemptId task, EventTime time) {
        forecast.observe(task, time, scaling.nanoTime());
    }

    /**
     * To which timer it should yield.
     *
     * @param step the number of the step that comes next
     * @param left the moves that are left, those of that one included
     * @param nanos how long a watermark would have to wait for what is to be done
     */
    OptionalLong timer(int step, MovesLeft left, long nanos) {
        long timer = forecast.nextTimer(participants.nextWatermarkOfReceivers(left));
        return step >= next && forecast.mayReach(timer, scaling.nanoTime(), nanos)
                ? OptionalLong.of(timer)
                : OptionalLong.empty();
    }

    /** For how long at most. */
    Duration limit(long nanos) {
        long limit = scaling.settings.stepDuration().toNanos() * LONGEST + nanos;
        return Duration.ofNanos(Math.min(limit, scaling.settings.stepTimeout().toNanos()));
    }

    /**
     * It has yielded.
     *
     * @param passed false if nothing has come of it
     */
    void onYielded(int step, boolean passed) {
        inVain = passed ? 0 : Math.min(inVain + 1, MOST_IN_VAIN);
        next = step + (1 << inVain);
    }

    /** It may yield again before the same step: what came between took its time. */
    void mayYieldAgain() {
        next = 0;
    }
}
