// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import io.meces.core.id.VertexId;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/** What is to be done now so that requirements are met. An immutable value. */
public final class Decision {

    private static final Decision REST = new Decision(Collections.emptyMap(), false, null);

    private final Map<VertexId, Integer> goals;
    private final boolean awaitsSlots;
    @Nullable private final Duration later;

    private Decision(Map<VertexId, Integer> goals, boolean awaitsSlots, @Nullable Duration later) {
        this.goals = Collections.unmodifiableMap(new LinkedHashMap<>(goals));
        this.awaitsSlots = awaitsSlots;
        this.later = later;
    }

    static Decision rest() {
        return REST;
    }

    static Decision askAgainIn(Duration delay) {
        return new Decision(Collections.emptyMap(), false, delay);
    }

    static Decision rescale(Map<VertexId, Integer> goals, boolean awaitsSlots) {
        return new Decision(goals, awaitsSlots, null);
    }

    /** The rescale to begin: vertices in this order, and their parallelism. Empty: none. */
    public Map<VertexId, Integer> goals() {
        return goals;
    }

    /** Whether the rescale needs slots that are not there, so that they are asked for. */
    public boolean awaitsSlots() {
        return awaitsSlots;
    }

    /** Without a rescale: when to decide again. Null: not before something changes. */
    @Nullable
    public Duration later() {
        return later;
    }

    @Override
    public String toString() {
        return goals.isEmpty()
                ? later == null ? "rest" : "ask again in " + later
                : "rescale to " + goals + (awaitsSlots ? " as slots come" : "");
    }
}
