// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.function.IntPredicate;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/** What stands before a gate of Flink whose producers come and go. Owned by the task thread. */
public abstract class ProducersGate extends IndexedInputGate {

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
}
