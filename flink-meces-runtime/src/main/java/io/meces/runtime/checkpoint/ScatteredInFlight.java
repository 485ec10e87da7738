// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.flink.runtime.OperatorStates;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * Marks an unaligned checkpoint in which key-groups are not where a stock Flink would have them: it
 * could not tell whose the records in flight are, and would misplace them. A state of an operator
 * that no job has keeps it from beginning with that checkpoint.
 *
 * <p>Stateless.
 */
public final class ScatteredInFlight {

    /** A name for logs and the metadata. */
    private static final String NAME = "meces: records in flight of a rescaled vertex";

    private static final OperatorID ID = new OperatorID(0x6d65636573L, 0x696e666c69676874L);

    private ScatteredInFlight() {}

    /** A JobManager that can tell whose they are is going to restore it. */
    static void unmark(CompletedCheckpoint checkpoint) {
        checkpoint.getOperatorStates().remove(ID);
    }

    /** Of which no task has been told. */
    public static void mark(PendingCheckpoint checkpoint) {
        boolean scattered =
                checkpoint.getOperatorStates().values().stream()
                        .filter(ElasticOperatorState.class::isInstance)
                        .map(ElasticOperatorState.class::cast)
                        .anyMatch(state -> state.getParallelism() != state.subtasks());
        if (scattered) {
            byte[] text = NAME.getBytes(StandardCharsets.UTF_8);
            OperatorState state = OperatorStates.of(ID, NAME, 1);
            state.putState(
                    0,
                    OperatorSubtaskState.builder()
                            .setManagedOperatorState(
                                    new OperatorStreamStateHandle(
                                            Collections.emptyMap(),
                                            new ByteStreamStateHandle(NAME, text)))
                            .build());
            checkpoint.getOperatorStates().put(ID, state);
        }
    }
}
