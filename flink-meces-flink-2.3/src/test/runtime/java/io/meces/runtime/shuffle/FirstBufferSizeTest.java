// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.BufferLimits;
import java.nio.ByteBuffer;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironmentBuilder;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionManager;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionView;
import org.junit.jupiter.api.Test;

/**
 * The size that buffers have until a consumer says another one. Its debloater takes them to have
 * it, and says nothing as long as that is about right.
 */
class FirstBufferSizeTest {

    private static final int SIZE = 1_024;

    @Test
    void buffersOfAllConsumersBeginWithIt() throws Exception {
        try (NettyShuffleEnvironment netty =
                new NettyShuffleEnvironmentBuilder().startingBufferSize(SIZE).build()) {
            BufferLimits limits = BufferLimits.of(netty.getConfiguration());
            ElasticResultPartition partition =
                    new ElasticResultPartition(
                            new PipelinedResultPartition(
                                    "upstream",
                                    0,
                                    new ResultPartitionID(),
                                    ResultPartitionType.PIPELINED_BOUNDED,
                                    new ResultSubpartition[2],
                                    2,
                                    new ResultPartitionManager(),
                                    null,
                                    () -> null),
                            1,
                            this,
                            limits,
                            () ->
                                    new ElasticBufferPool(
                                            netty.getNetworkBufferPool(),
                                            1,
                                            2,
                                            limits,
                                            new TaskTimes(System::nanoTime).backPressured(),
                                            new OverdraftBuffers()));
            partition.setup();
            assertBeginsWithIt(partition, 0);
            partition.activate(1, 2);
            assertBeginsWithIt(partition, 1);
            partition.reset(1, 2);
            partition.activate(1, 2);
            assertBeginsWithIt(partition, 1);
            partition.release();
            partition.close();
        }
    }

    private static void assertBeginsWithIt(ElasticResultPartition partition, int consumer)
            throws Exception {
        for (int i = 0; i < 20; i++) {
            partition.emitRecord(ByteBuffer.allocate(100), consumer);
        }
        ResultSubpartitionView view = partition.createSubpartitionView(consumer, parent -> {});
        assertThat(view.getNextBuffer().buffer().getSize()).isEqualTo(SIZE);
        view.releaseAllResources();
    }
}
