// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.core.plan.VertexLayout;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;

/** What a task must know of a result partition that an elastic vertex produces or consumes. */
public final class PartitionElasticity implements Serializable {
    private static final long serialVersionUID = 1L;

    private final IntermediateDataSetID dataSet;
    @Nullable private final VertexLayout producer;
    @Nullable private final VertexLayout consumer;
    private final boolean finished;

    /**
     * @param finished whether the producing subtask has finished
     */
    public PartitionElasticity(
            IntermediateDataSetID dataSet,
            @Nullable VertexLayout producer,
            @Nullable VertexLayout consumer,
            boolean finished) {
        this.dataSet = dataSet;
        this.producer = producer;
        this.consumer = consumer;
        this.finished = finished;
    }

    public IntermediateDataSetID dataSet() {
        return dataSet;
    }

    /** The producing vertex; null if it is not elastic. */
    @Nullable
    public VertexLayout producer() {
        return producer;
    }

    /**
     * Whether the producing subtask has finished. A subtask that it has never been connected with
     * has nothing to expect of it.
     */
    public boolean isFinished() {
        return finished;
    }

    /** The consuming vertex; null if it is not elastic. */
    @Nullable
    public VertexLayout consumer() {
        return consumer;
    }
}
