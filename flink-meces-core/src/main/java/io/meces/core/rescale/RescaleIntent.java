// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import javax.annotation.Nullable;

/** How a rescale is meant to end. Immutable. */
final class RescaleIntent {

    static final RescaleIntent REACH_GOAL = new RescaleIntent(null, false);

    static final RescaleIntent ROLL_BACK = new RescaleIntent("rolled back by request", true);

    @Nullable private final String reason;
    private final boolean rollsBack;

    private RescaleIntent(@Nullable String reason, boolean rollsBack) {
        this.reason = reason;
        this.rollsBack = rollsBack;
    }

    /** As soon as it can, wherever it is then. */
    static RescaleIntent stop(String reason) {
        return new RescaleIntent(reason, false);
    }

    boolean reachesGoal() {
        return reason == null;
    }

    boolean rollsBack() {
        return rollsBack;
    }

    boolean stops() {
        return reason != null && !rollsBack;
    }

    /** Why it does not reach its goal; null: it does. */
    @Nullable
    String reason() {
        return reason;
    }
}
