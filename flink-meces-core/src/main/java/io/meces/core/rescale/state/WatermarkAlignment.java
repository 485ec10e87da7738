// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.core.command.TaskCommand;
import io.meces.core.job.Participants;
import io.meces.core.plan.MovesLeft;
import java.time.Duration;
import java.util.function.IntPredicate;

/**
 * Has event time go on at donors and receivers while they wait for the next step: receivers may
 * rise to what all donors have reached, and these tell when they have got further. How far that is,
 * {@link Participants} know.
 *
 * <p>Owned by the JobMaster's main thread.
 */
public final class WatermarkAlignment {

    /** How often, at most. */
    private static final Duration PACE = Duration.ofMillis(5);

    /** How much more seldom for each participant, as each gets a command. */
    private static final Duration PACE_EACH = Duration.ofNanos(200_000);

    private final VertexScaling scaling;
    private final Participants participants;
    private final MovesLeft left;
    private long lastNanos;

    /**
     * @param left the moves that have not been made
     */
    public WatermarkAlignment(VertexScaling scaling, Participants participants, MovesLeft left) {
        this.scaling = scaling;
        this.participants = participants;
        this.left = left;
    }

    /** All of them, now. */
    public void align() {
        align(participants.nextWatermarkOfReceivers(left), subtask -> true);
    }

    /** Some of them, now. */
    public void align(long watermarkOfReceivers, IntPredicate which) {
        lastNanos = scaling.nanoTime();
        TaskCommand ask = new TaskCommand.AlignWatermark(scaling.id, watermarkOfReceivers, true);
        TaskCommand tell = new TaskCommand.AlignWatermark(scaling.id, watermarkOfReceivers, false);
        for (int subtask : participants.told()) {
            if (which.test(subtask)) {
                scaling.tell(subtask, left.gives(subtask) ? ask : tell);
            }
        }
    }

    /**
     * One of them has got further. Not every such report aligns them: reports can come as fast as
     * they are asked for.
     *
     * @param state where they wait
     */
    public void alignSoon(State<?> state) {
        Duration each = PACE_EACH.multipliedBy(participants.told().size());
        Duration pace = each.compareTo(PACE) < 0 ? PACE : each;
        Duration wait = pace.minusNanos(scaling.nanoTime() - lastNanos);
        if (wait.isNegative() || wait.isZero()) {
            alignIfRisen(state);
        } else {
            state.within(wait, () -> alignIfRisen(state));
        }
    }

    private void alignIfRisen(State<?> state) {
        long before = participants.watermarkOfReceivers();
        if (participants.nextWatermarkOfReceivers(left) > before) {
            align();
            state.onWatermarksAligned();
        }
    }
}
