// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.buffer.BufferPoolFactory;

/** Buffers of a result partition that come from several pools of Flink. */
public abstract class PartitionBuffers implements BufferPool {

    private final BufferPoolFactory factory;
    private final int mostPerSubpartition;
    private volatile int mostOverdraft;

    protected PartitionBuffers(BufferPoolFactory factory, BufferLimits limits) {
        this.factory = factory;
        this.mostPerSubpartition = limits.mostPerSubpartition;
        this.mostOverdraft = limits.mostOverdraft;
    }

    /** As Flink makes one for that many subpartitions. */
    protected final BufferPool create(int required, int most, int subpartitions)
            throws IOException {
        return factory.createBufferPool(
                required, most, subpartitions, mostPerSubpartition, mostOverdraft);
    }

    /** Those pools; the first one also has the buffers that are for no subpartition. */
    protected abstract Stream<BufferPool> pools();

    private BufferPool first() {
        return pools().findFirst().get();
    }

    @Override
    public void reserveSegments(int segments) throws IOException {
        first().reserveSegments(segments);
    }

    /** A legacy source gets none, as its thread is blocked with the checkpoint lock. */
    @Override
    public void setMaxOverdraftBuffersPerGate(int most) {
        mostOverdraft = most;
        pools().forEach(pool -> pool.setMaxOverdraftBuffersPerGate(most));
    }

    @Override
    public int getMaxOverdraftBuffersPerGate() {
        return mostOverdraft;
    }

    @Override
    @Nullable
    public MemorySegment requestMemorySegment() {
        return first().requestMemorySegment();
    }

    @Override
    public MemorySegment requestMemorySegmentBlocking() throws InterruptedException {
        return first().requestMemorySegmentBlocking();
    }
}
