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
