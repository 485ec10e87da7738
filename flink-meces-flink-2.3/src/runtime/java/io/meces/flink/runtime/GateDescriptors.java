// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.deployment.InputGateDeploymentDescriptor;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.ShuffleDescriptorAndIndex;
import org.apache.flink.runtime.shuffle.ShuffleDescriptor;

/** What the JobManager says of the gates of a task. Pure. */
public final class GateDescriptors {

    private GateDescriptors() {}

    /** The subpartition of each producer that it reads. */
    public static int subpartition(InputGateDeploymentDescriptor gate) {
        return gate.getConsumedSubpartitionRange(0).getStartIndex();
    }

    /** The same for other producers. */
    public static InputGateDeploymentDescriptor replace(
            InputGateDeploymentDescriptor gate, UnaryOperator<ShuffleDescriptor> replacement) {
        ShuffleDescriptor[] producers = gate.getShuffleDescriptors();
        ShuffleDescriptorAndIndex[] replaced = new ShuffleDescriptorAndIndex[producers.length];
        for (int i = 0; i < producers.length; i++) {
            replaced[i] = new ShuffleDescriptorAndIndex(replacement.apply(producers[i]), i);
        }
        try {
            return new InputGateDeploymentDescriptor(
                    gate.getConsumedResultId(),
                    gate.getConsumedPartitionType(),
                    subpartition(gate),
                    replaced);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
