/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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

    public PartitionElasticity(
            IntermediateDataSetID dataSet,
            @Nullable VertexLayout producer,
            @Nullable VertexLayout consumer) {
        this.dataSet = dataSet;
        this.producer = producer;
        this.consumer = consumer;
    }

    public IntermediateDataSetID dataSet() {
        return dataSet;
    }

    /** The producing vertex; null if it is not elastic. */
    @Nullable
    public VertexLayout producer() {
        return producer;
    }

    /** The consuming vertex; null if it is not elastic. */
    @Nullable
    public VertexLayout consumer() {
        return consumer;
    }
}
