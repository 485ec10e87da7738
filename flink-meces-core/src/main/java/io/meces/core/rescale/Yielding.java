/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.core.rescale;

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
final class Yielding extends State<Yielding.Context> {

    private final Duration limit;
    private final BooleanSupplier passed;
    private final Consumer<Boolean> then;

    /** What this state may do. */
    interface Context extends State.Context {

        /** Whether a checkpoint is due. */
        boolean isPauseDue();
    }

    /**
     * @param limit for how long at most
     * @param passed whether the watermark has come
     * @param then is told whether it has, or something else was to be done first
     */
    Yielding(Context context, Duration limit, BooleanSupplier passed, Consumer<Boolean> then) {
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
    void enter() {
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
    void onFinished(AttemptId task) {
        then.accept(true);
    }

    @Override
    void onWatermarksAligned() {
        if (isCurrent() && passed.getAsBoolean()) {
            then.accept(true);
        }
    }
}
