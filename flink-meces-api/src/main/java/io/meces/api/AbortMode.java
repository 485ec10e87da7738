// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.util.Locale;

/** What becomes of the key-groups that a rescale has moved when it is aborted. */
public enum AbortMode {
    /** They stay where they are; the next rescale starts from there. */
    STOP,
    /** They move back, and subtasks that have been added leave. */
    ROLLBACK;

    /** As the URL of a request has it. */
    public String parameter() {
        return name().toLowerCase(Locale.ROOT);
    }
}
