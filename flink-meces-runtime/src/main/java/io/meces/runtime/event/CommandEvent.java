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

package io.meces.runtime.event;

import io.meces.core.command.TaskCommand;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** A command on its way to a task. */
public final class CommandEvent implements OperatorEvent {
    private static final long serialVersionUID = 1L;

    private final TaskCommand command;

    public CommandEvent(TaskCommand command) {
        this.command = command;
    }

    public TaskCommand command() {
        return command;
    }

    @Override
    public String toString() {
        return command.toString();
    }
}
