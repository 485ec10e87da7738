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

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.NettyShuffleMaster;
import org.apache.flink.runtime.shuffle.PartitionDescriptor;
import org.apache.flink.runtime.shuffle.ProducerDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleMaster;

/**
 * Netty's shuffle master, which also gives the deployment of a task what it must know of the
 * elastic vertices around it. One per job; its scheduler says which partitions are concerned.
 */
public final class ElasticShuffleMaster implements ShuffleMaster<NettyShuffleDescriptor> {

    private volatile Function<IntermediateDataSetID, Supplier<PartitionElasticity>> elastic =
            dataSet -> null;

    /**
     * @param elastic for a data set that an elastic vertex produces or consumes, how it stands;
     *     else null. The supplier is called by any thread.
     */
    public void setElasticity(
            Function<IntermediateDataSetID, Supplier<PartitionElasticity>> elastic) {
        this.elastic = elastic;
    }

    @Override
    public CompletableFuture<NettyShuffleDescriptor> registerPartitionWithProducer(
            PartitionDescriptor partition, ProducerDescriptor producer) {
        return NettyShuffleMaster.INSTANCE
                .registerPartitionWithProducer(partition, producer)
                .thenApply(netty -> extend(netty, elastic.apply(partition.getResultId())));
    }

    private static NettyShuffleDescriptor extend(
            NettyShuffleDescriptor netty, @Nullable Supplier<PartitionElasticity> elasticity) {
        return elasticity == null ? netty : new ElasticShuffleDescriptor(netty, elasticity);
    }

    @Override
    public void releasePartitionExternally(ShuffleDescriptor descriptor) {
        NettyShuffleMaster.INSTANCE.releasePartitionExternally(descriptor);
    }
}
