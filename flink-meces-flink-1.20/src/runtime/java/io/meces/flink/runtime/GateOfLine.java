// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/** A gate of Flink with what only some lines have: nothing. Owned by the task thread. */
abstract class GateOfLine extends IndexedInputGate {

    protected final SingleInputGate flinks;

    GateOfLine(SingleInputGate flinks) {
        this.flinks = flinks;
    }
}
