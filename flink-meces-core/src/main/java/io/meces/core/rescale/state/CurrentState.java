// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

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
public final class CurrentState {

    private final WatermarkAlignment alignment;
    @Nullable private State<?> state;

    /** What keeps messages of subtasks from their peers. */
    private final Map<AttemptId, String> hindrances = new LinkedHashMap<>();

    /**
     * @param alignment has event time go on between steps
     */
    public CurrentState(WatermarkAlignment alignment) {
        this.alignment = alignment;
    }

    public void enter(State<?> next) {
        state = next;
        if (next.isBetweenSteps()) {
            alignment.align();
        }
        next.enter();
    }

    /** The rescale has ended. */
    public void leave() {
        state = null;
    }

    public boolean isAt(State<?> one) {
        return state == one;
    }

    @Nullable
    public State<?> get() {
        return state;
    }

    @Nullable
    public RescaleState shown() {
        return state == null ? null : state.shown;
    }

    public void onReport(AttemptId task, TaskReport report) {
        if (state != null) {
            state.onReport(task, report);
        }
    }

    public void onHindered(AttemptId task, @Nullable String reason) {
        if (reason == null) {
            hindrances.remove(task);
        } else {
            hindrances.put(task, reason);
        }
    }

    public Map<AttemptId, String> hindrances() {
        return hindrances;
    }

    public void onFinished(AttemptId task) {
        if (state != null) {
            state.onFinished(task);
        }
    }

    public void onWatermarkRisen() {
        if (state != null && state.isBetweenSteps()) {
            alignment.alignSoon(state);
        }
    }
}
