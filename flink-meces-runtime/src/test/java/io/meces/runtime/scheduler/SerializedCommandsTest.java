// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.Growth;
import io.meces.core.command.StepMoves;
import io.meces.core.command.TaskCommand;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.runtime.event.CommandEvent;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.SerializedValue;
import org.junit.jupiter.api.Test;

/** {@link SerializedCommands}: a command costs once what it costs, to however many it goes. */
class SerializedCommandsTest {

    private final SerializedCommands commands = new SerializedCommands();

    private static TaskCommand command(int participants) {
        UUID rescale = new UUID(1, 2);
        BitSet takers = new BitSet();
        takers.set(1, participants);
        Map<Integer, TaskCommand.Peer> peers = new HashMap<>();
        for (int i = 0; i < participants; i++) {
            peers.put(
                    i,
                    new TaskCommand.Peer(AttemptId.random(), new TransitionAddress("host" + i, i)));
        }
        return new TaskCommand.StartStep(
                rescale, StepMoves.handover(1, 0, takers), peers, Long.MIN_VALUE);
    }

    @Test
    void eachCommandIsItself() throws Exception {
        TaskCommand one = new TaskCommand.Retire(new UUID(1, 2));
        TaskCommand other = new TaskCommand.EndInput(new UUID(3, 4));
        SerializedValue<OperatorEvent> first = commands.of(one);
        assertThat(commands.of(one)).isSameAs(first);
        assertThat(read(commands.of(other))).isInstanceOf(TaskCommand.EndInput.class);
        assertThat(read(commands.of(one))).isInstanceOf(TaskCommand.Retire.class);
    }

    private TaskCommand read(SerializedValue<OperatorEvent> value) throws Exception {
        return ((CommandEvent) value.deserializeValue(getClass().getClassLoader())).command();
    }

    @Test
    void manySubtasksCostLittleMoreThanOne() {
        TaskCommand[] even = {command(256), command(256)};
        TaskCommand[] odd = {command(256), command(256)};
        Growth.assertAtMost(5, () -> send(even, 1), () -> send(odd, 256));
    }

    /** In turn, so that none is known from the last time. */
    private void send(TaskCommand[] each, int subtasks) {
        for (TaskCommand command : each) {
            for (int i = 0; i < subtasks; i++) {
                commands.of(command);
            }
        }
    }
}
