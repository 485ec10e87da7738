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
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import javax.annotation.Nullable;

/**
 * The state in which the rescale of a vertex is; none at its end. Owned by the JobMaster's main
 * thread.
 */
final class CurrentState {

    private final WatermarkAlignment alignment;
    @Nullable private State<?> state;

    /**
     * @param alignment has event time go on between steps
     */
    CurrentState(WatermarkAlignment alignment) {
        this.alignment = alignment;
    }

    void enter(State<?> next) {
        state = next;
        if (next.isBetweenSteps()) {
            alignment.align();
        }
        next.enter();
    }

    /** The rescale has ended. */
    void leave() {
        state = null;
    }

    boolean isAt(State<?> one) {
        return state == one;
    }

    @Nullable
    State<?> get() {
        return state;
    }

    @Nullable
    RescaleState shown() {
        return state == null ? null : state.shown;
    }

    void onReport(AttemptId task, TaskReport report) {
        if (state != null) {
            state.onReport(task, report);
        }
    }

    void onFinished(AttemptId task) {
        if (state != null) {
            state.onFinished(task);
        }
    }

    void onWatermarkRisen() {
        if (state != null && state.isBetweenSteps()) {
            alignment.alignSoon(state);
        }
    }
}
