// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;
import javax.annotation.Nullable;

/** What a subtask tells of its keyed state before a rescale. Immutable. */
public final class StateDescription implements Serializable {
    private static final long serialVersionUID = 1L;

    /** In which it is written, for new subtasks; what it means is known to tasks. */
    public final byte[] format;

    /** Why the subtask cannot give key-groups, as long as the job does not change; null: it can. */
    @Nullable public final String obstacle;

    public StateDescription(byte[] format, @Nullable String obstacle) {
        this.format = format.clone();
        this.obstacle = obstacle;
    }
}
