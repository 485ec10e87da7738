// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition;

import io.meces.flink.runtime.BufferLimits;

/** Bridge to the constructor of {@link PipelinedSubpartition}. */
abstract class SubpartitionOfLine extends PipelinedSubpartition {

    SubpartitionOfLine(int index, BufferLimits limits, ResultPartition parent) {
        super(index, limits.perSubpartition, limits.firstSize, parent);
    }
}
