// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.command.TaskCommand;
import io.meces.runtime.event.CommandEvent;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.SerializedValue;

/**
 * Serialises commands: one that goes to many subtasks, one after the other, only once. That of a
 * step tells of all who take part in it. Owned by the JobMaster's main thread.
 */
final class SerializedCommands {

    @Nullable private TaskCommand last;
    @Nullable private SerializedValue<OperatorEvent> serialized;

    /** Commands do not change: the same one is the same bytes. */
    SerializedValue<OperatorEvent> of(TaskCommand command) {
        if (command != last) {
            try {
                serialized = new SerializedValue<>(new CommandEvent(command));
            } catch (IOException e) {
                throw new FlinkRuntimeException("Cannot serialise " + command, e);
            }
            last = command;
        }
        return serialized;
    }
}
