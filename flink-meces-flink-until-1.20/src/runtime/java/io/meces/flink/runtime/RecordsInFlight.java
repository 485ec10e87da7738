// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/** What an unaligned checkpoint has besides state. Pure. */
public final class RecordsInFlight {

    private RecordsInFlight() {}

    /** Whether there are any in the state of a subtask. */
    public static boolean areIn(OperatorSubtaskState state) {
        return Stream.concat(
                        state.getInputChannelState().stream(),
                        state.getResultSubpartitionState().stream())
                .anyMatch(handle -> !handle.getOffsets().isEmpty());
    }
}
