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
