// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.id.AttemptId;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Before new subtasks are connected, and between two steps: the watermark goes first that is about
 * to have timers fire. In the step it would have to wait. A checkpoint that is due does not wait
 * for that.
 */
public final class Yielding extends State<Yielding.Context> {

    private final Duration limit;
    private final BooleanSupplier passed;
    private final Consumer<Boolean> then;

    /** What this state may do. */
    public interface Context extends State.Context {

        /** Whether a checkpoint is due. */
        boolean isPauseDue();
    }

    /**
     * @param limit for how long at most
     * @param passed whether the watermark has come
     * @param then is told whether it has, or something else was to be done first
     */
    public Yielding(
            Context context, Duration limit, BooleanSupplier passed, Consumer<Boolean> then) {
        super(context, RescaleState.YIELDING);
        this.limit = limit;
        this.passed = passed;
        this.then = then;
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    public void enter() {
        within(limit, () -> then.accept(false));
        within(POLL, this::poll);
        onWatermarksAligned();
    }

    private void poll() {
        if (context.isPauseDue()) {
            then.accept(true);
        } else {
            within(POLL, this::poll);
        }
    }

    /** What comes next knows whether it still can be. */
    @Override
    public void onFinished(AttemptId task) {
        then.accept(true);
    }

    @Override
    public void onWatermarksAligned() {
        if (isCurrent() && passed.getAsBoolean()) {
            then.accept(true);
        }
    }
}
