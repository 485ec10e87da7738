// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.io.network.api.EndOfData;
import org.apache.flink.runtime.io.network.api.StopMode;
import org.apache.flink.runtime.io.network.api.serialization.EventSerializer;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.partition.ElasticSubpartition;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.util.function.SupplierWithException;

/**
 * A result partition whose consumers come and go. It takes the place of one that Flink has made and
 * that is not set up yet. The task thread calls what this class has of its own.
 */
public abstract class ConsumersPartition extends PipelinedResultPartition {

    /** How the data of the task has ended; null: it has not. */
    @Nullable private StopMode ended;

    /**
     * @param buffers asked when the partition is set up
     */
    protected ConsumersPartition(
            ResultPartition made, SupplierWithException<BufferPool, IOException> buffers) {
        super(
                made.getOwningTaskName(),
                made.getPartitionIndex(),
                made.getPartitionId(),
                made.getPartitionType(),
                new ResultSubpartition[made.getNumberOfSubpartitions()],
                made.getNumTargetKeyGroups(),
                made.getPartitionManager(),
                ElasticSubpartition.compressorOf(made),
                buffers);
    }

    /** How many subpartitions, from the first on, have a consumer. */
    protected abstract int active();

    /**
     * The task finishes when all consumers have answered. Nobody is there to answer for those that
     * are not active.
     */
    @Override
    public void notifyEndOfData(StopMode mode) throws IOException {
        super.notifyEndOfData(mode);
        ended = mode;
        consumersHaveLeft(active(), subpartitions.length);
    }

    /** To be called when those of some subpartitions have left. */
    protected final void consumersHaveLeft(int from, int to) {
        for (int i = from; ended != null && i < to; i++) {
            onSubpartitionAllDataProcessed(i);
        }
    }

    /** New consumers must learn that the data of the task has ended, if that is so. */
    public final void repeatEndOfData(int from, int to) throws IOException {
        if (ended == null) {
            return;
        }
        flushAllSubpartitions(true);
        try (BufferConsumer event = EventSerializer.toBufferConsumer(new EndOfData(ended), false)) {
            for (int i = from; i < to; i++) {
                subpartitions[i].add(event.copy(), 0);
            }
        }
    }
}
