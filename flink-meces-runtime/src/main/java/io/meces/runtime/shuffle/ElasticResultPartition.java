// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.flink.runtime.BufferLimits;
import io.meces.flink.runtime.ConsumersPartition;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.runtime.io.network.partition.BufferAvailabilityListener;
import org.apache.flink.runtime.io.network.partition.ElasticSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionView;
import org.apache.flink.util.function.SupplierWithException;

/**
 * A result partition of which only the first subpartitions have consumers. The others take no
 * buffers. It takes the place of one that Flink has made and that is not set up yet.
 *
 * <p>The task thread calls what this class has of its own; network threads ask for subpartitions.
 */
public final class ElasticResultPartition extends ConsumersPartition {

    /** Guards the exchange of subpartitions, which nobody may ask for meanwhile. */
    private final Object exchange = new Object();

    private int active;

    /**
     * @param active subpartitions 0..active-1 have a consumer
     * @param owner is kept reachable as long as the partition is
     * @param limits those of the buffers
     * @param buffers asked when the partition is set up
     */
    public ElasticResultPartition(
            ResultPartition made,
            int active,
            Object owner,
            BufferLimits limits,
            SupplierWithException<ElasticBufferPool, IOException> buffers) {
        super(made, buffers::get);
        this.active = active;
        for (int i = 0; i < subpartitions.length; i++) {
            subpartitions[i] = new ElasticSubpartition(i, limits, this, i < active, owner);
        }
    }

    @Override
    protected int active() {
        return active;
    }

    /** Flink writes watermarks to each subpartition as if they were records for it alone. */
    @Override
    public void emitRecord(ByteBuffer record, int subpartition) throws IOException {
        if (subpartition < active) {
            super.emitRecord(record, subpartition);
        }
    }

    @Override
    public ResultSubpartitionView createSubpartitionView(
            int subpartition, BufferAvailabilityListener listener) throws IOException {
        synchronized (exchange) {
            if (subpartition >= active) {
                replaceIfLeft(subpartition);
            }
            return super.createSubpartitionView(subpartition, listener);
        }
    }

    /**
     * The request of a subtask that is not to be may come after {@link #reset}, as it goes another
     * way. It must not keep the next one from its channel.
     */
    private void replaceIfLeft(int index) {
        ElasticSubpartition left = subpartition(index);
        if (left.isLeft()) {
            subpartitions[index] = left.successor();
            left.release();
        }
    }

    /**
     * From now on what is written to these subpartitions is kept for their consumers.
     *
     * @param from they follow those that are active
     * @throws IOException if there are too few buffers; nothing has changed then
     */
    public void activate(int from, int to) throws IOException {
        buffers().activateUpTo(to);
        finishBuilders();
        synchronized (exchange) {
            for (int i = from; i < to; i++) {
                replaceIfLeft(i);
                subpartition(i).activate();
            }
            active = Math.max(active, to);
        }
    }

    /** Throws away what former consumers left, and makes room for others. */
    public void reset(int from, int to) {
        finishBuilders();
        synchronized (exchange) {
            active = Math.min(active, from);
            for (int i = from; i < to; i++) {
                ElasticSubpartition old = subpartition(i);
                subpartitions[i] = old.successor();
                old.release();
            }
        }
        buffers().deactivateFrom(from);
        consumersHaveLeft(from, to);
    }

    /** Nothing that is written from now on reaches a consumer. */
    public void mute() {
        synchronized (exchange) {
            active = 0;
        }
        for (int i = 0; i < subpartitions.length; i++) {
            subpartition(i).deactivate();
        }
    }

    /** Finishes what is half written, so that a subpartition can be switched. */
    private void finishBuilders() {
        flushAllSubpartitions(true);
    }

    private ElasticBufferPool buffers() {
        return (ElasticBufferPool) bufferPool;
    }

    private ElasticSubpartition subpartition(int index) {
        return (ElasticSubpartition) subpartitions[index];
    }
}
