// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * The state in which the rescale of a vertex is; none at its end. Owned by the JobMaster's main
 * thread.
 */
final class CurrentState {

    private final WatermarkAlignment alignment;
    @Nullable private State<?> state;

    /** What keeps messages of subtasks from their peers. */
    private final Map<AttemptId, String> hindrances = new LinkedHashMap<>();

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

    void onHindered(AttemptId task, @Nullable String reason) {
        if (reason == null) {
            hindrances.remove(task);
        } else {
            hindrances.put(task, reason);
        }
    }

    Map<AttemptId, String> hindrances() {
        return hindrances;
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
