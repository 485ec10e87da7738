// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import javax.annotation.Nullable;

/**
 * The commands of a rescale that a task has got. One whose delivery was not confirmed in time is
 * sent again, and may come twice. Those of a rescale come before those of the next. Owned by the
 * task thread.
 */
public final class CommandLog {

    private final Set<String> known = new HashSet<>();
    @Nullable private UUID rescale;

    /** Notes a command; whether it has come before, and is not to be carried out again. */
    public boolean isRepetition(TaskCommand command) {
        String key = command.key();
        if (key == null) {
            return false;
        }
        if (!command.rescale().equals(rescale)) {
            rescale = command.rescale();
            known.clear();
        }
        return !known.add(key);
    }
}
