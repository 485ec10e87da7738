// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition;

/** Bridge to the constructor of {@link PipelinedSubpartition}. */
abstract class SubpartitionOfLine extends PipelinedSubpartition {

    SubpartitionOfLine(int index, int buffersOfConsumer, ResultPartition parent) {
        super(index, buffersOfConsumer, parent);
    }
}
