// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/** A gate of Flink with what only some lines have. Owned by the task thread. */
abstract class GateOfLine extends IndexedInputGate {

    protected final SingleInputGate flinks;

    GateOfLine(SingleInputGate flinks) {
        this.flinks = flinks;
    }

    @Override
    public final ResultPartitionType getConsumedPartitionType() {
        return flinks.getConsumedPartitionType();
    }

    @Override
    public final void setCheckpointingDuringRecoveryEnabled(boolean enabled) {
        flinks.setCheckpointingDuringRecoveryEnabled(enabled);
    }

    @Override
    public final boolean isCheckpointingDuringRecoveryEnabled() {
        return flinks.isCheckpointingDuringRecoveryEnabled();
    }

    @Override
    public final CompletableFuture<Void> getBufferFilteringCompleteFuture() {
        return flinks.getBufferFilteringCompleteFuture();
    }

    @Override
    public final void resumeGateConsumption() throws IOException {
        flinks.resumeGateConsumption();
    }
}
