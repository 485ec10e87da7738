// SPDX-License-Identifier: Apache-2.0
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
