// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.stream.Stream;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.buffer.BufferPoolFactory;
import org.apache.flink.runtime.io.network.buffer.BufferRecycler;

/** Buffers of a result partition that come from several pools of Flink. */
public abstract class PartitionBuffers implements BufferPool {

    private final BufferPoolFactory factory;
    private final int mostPerSubpartition;

    protected PartitionBuffers(BufferPoolFactory factory, BufferLimits limits) {
        this.factory = factory;
        this.mostPerSubpartition = limits.mostPerSubpartition;
    }

    /** As Flink makes one for that many subpartitions. */
    protected final BufferPool create(int required, int most, int subpartitions)
            throws IOException {
        return factory.createBufferPool(required, most, subpartitions, mostPerSubpartition);
    }

    /** Those pools; the first one also has the buffers that are for no subpartition. */
    protected abstract Stream<BufferPool> pools();

    /**
     * Of the interface of Flink 1.12.0, hence without {@code @Override}. That release declares it
     * and does not call it.
     */
    public BufferRecycler[] getSubpartitionBufferRecyclers() {
        throw new UnsupportedOperationException();
    }
}
