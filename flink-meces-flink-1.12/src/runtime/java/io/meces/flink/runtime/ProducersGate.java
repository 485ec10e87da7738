// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/** What stands before a gate of Flink whose producers come and go. Owned by the task thread. */
public abstract class ProducersGate extends IndexedInputGate {

    /** {@link SingleInputGate#setInputChannels} writes all channels: one writer at a time. */
    protected final ReentrantLock channelLock = new ReentrantLock();

    /**
     * @param inactive whether a channel has no producer
     */
    protected ProducersGate(SingleInputGate gate, IntPredicate inactive) {
        // what they are asked for is asked by other lines
    }

    /** An event has been read that is none of ours. */
    protected final void onEventOfFlink(AbstractEvent event, int channel) {
        // it is of the channel alone
    }

    /** Producers are told of a size of buffers. */
    protected final void onBufferSize(int size) {
        // buffers have one size on this line
    }

    /** A producer has come, and its channel is connected. */
    protected final void onProducerUp(int channel) {
        // there is nothing to tell it
    }
}
