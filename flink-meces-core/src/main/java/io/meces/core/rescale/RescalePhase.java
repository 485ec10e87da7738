// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import javax.annotation.Nullable;

/** What a rescale of a job is doing. Owned by the JobMaster's main thread. */
abstract class RescalePhase {

    abstract void enter();

    abstract RescaleStatus status();

    /** What it is doing with a vertex; null: nothing. */
    @Nullable
    RescaleState state() {
        return null;
    }

    /** The job restarts from its last checkpoint. */
    abstract void onFailure(String reason);

    /** Lets go of what tasks and checkpoints it keeps. */
    void abandon() {
        // most keep nothing
    }

    /** Does what a request asks for; returns null, or why that cannot be. */
    @Nullable
    abstract String abort(AbortMode mode);

    /** The rescale is to end as soon as it can. */
    abstract void endEarly(String reason);
}
