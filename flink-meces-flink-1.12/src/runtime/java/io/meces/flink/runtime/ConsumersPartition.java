// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
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

    /** To be called when those of some subpartitions have left. */
    protected final void consumersHaveLeft(int from, int to) {
        // the end of the partition is all that it tells, and that asks for no answer
    }

    /** New consumers must learn that the data of the task has ended, if that is so. */
    public final void repeatEndOfData(int from, int to) throws IOException {
        // the end of the partition is all that it tells
    }
}
