// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * A vertex one of whose subtasks has finished. It is noted when that happens, and looked for only
 * when subtasks begin anew: whoever waits asks every few milliseconds. Changed by the JobMaster's
 * main thread, read by any.
 */
final class FinishedVertex {

    private final Supplier<String> look;
    @Nullable private volatile String name;

    /**
     * @param look finds the name of one; null: there is none
     */
    FinishedVertex(Supplier<String> look) {
        this.look = look;
    }

    /** Null: there is none. */
    @Nullable
    String name() {
        return name;
    }

    /** A subtask of a vertex has finished. */
    void onFinished(String vertex) {
        if (name == null) {
            name = vertex;
        }
    }

    /** Some subtasks are new, as if they had never been deployed. */
    void onReset() {
        if (name != null) {
            name = look.get();
        }
    }
}
