// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.runtime.BufferLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.io.network.api.EndOfSuperstepEvent;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionManager;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A partition that can have four consumers, two to begin with. */
class ElasticResultPartitionTest {

    private static final int CONSUMERS = 4;

    private final NetworkBufferPool buffers = new NetworkBufferPool(16, 64);
    private final ElasticResultPartition partition =
            new ElasticResultPartition(
                    new PipelinedResultPartition(
                            "upstream",
                            0,
                            new ResultPartitionID(),
                            ResultPartitionType.PIPELINED_BOUNDED,
                            new ResultSubpartition[CONSUMERS],
                            CONSUMERS,
                            new ResultPartitionManager(),
                            null,
                            () -> null),
                    2,
                    this,
                    new BufferLimits(2, 1, 2),
                    () ->
                            new ElasticBufferPool(
                                    buffers,
                                    2,
                                    CONSUMERS,
                                    new BufferLimits(2, 1, 2),
                                    new TaskTimes(System::nanoTime).backPressured(),
                                    new OverdraftBuffers()));

    @BeforeEach
    void setUp() throws IOException {
        partition.setup();
    }

    @AfterEach
    void leavesNothingBehind() {
        partition.release();
        partition.close();
        assertThat(buffers.getNumberOfAvailableMemorySegments()).isEqualTo(16);
        buffers.destroy();
    }

    private ResultSubpartitionView request(int subpartition) throws IOException {
        return partition.createSubpartitionView(subpartition, () -> {});
    }

    private void assertReceives(ResultSubpartitionView view) throws IOException {
        partition.broadcastEvent(EndOfSuperstepEvent.INSTANCE, false);
        assertThat(view.getNextBuffer()).isNotNull();
        view.releaseAllResources();
    }

    @Test
    void aLateRequestOfOneThatIsGoneDoesNotKeepTheNextOneOut() throws Exception {
        partition.reset(2, 4);
        request(2).releaseAllResources();
        ResultSubpartitionView next = request(2);
        partition.activate(2, 4);
        assertReceives(next);
    }

    @Test
    void aLateRequestOfOneThatIsGoneDoesNotKeepOutOneThatComesAfterTheActivation()
            throws Exception {
        partition.reset(2, 4);
        request(3).releaseAllResources();
        partition.activate(2, 4);
        assertReceives(request(3));
    }

    @Test
    void whatAConsumerHasLeftInAnActiveSubpartitionIsNotGivenToAnother() throws Exception {
        request(1).releaseAllResources();
        assertThatThrownBy(() -> request(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("can only be consumed once");
    }

    private void assertCanBeWritten() throws IOException {
        for (int i = 0; i < 10; i++) {
            for (int k = 0; k < CONSUMERS; k++) {
                partition.emitRecord(ByteBuffer.wrap(new byte[8]), k);
            }
            partition.broadcastEvent(EndOfSuperstepEvent.INSTANCE, false);
        }
    }

    /** Its task hears that they are gone only if it is not blocked by what they have not read. */
    @Test
    @Timeout(10)
    void whatConsumersHaveNotReadWhenTheyLeaveDoesNotBlockTheTask() throws Exception {
        partition.reset(0, CONSUMERS);
        partition.activate(0, CONSUMERS);
        ResultSubpartitionView[] views = new ResultSubpartitionView[CONSUMERS];
        for (int k = 0; k < CONSUMERS; k++) {
            views[k] = request(k);
            partition.emitRecord(ByteBuffer.wrap(new byte[8]), k);
        }
        for (ResultSubpartitionView view : views) {
            view.releaseAllResources();
        }
        assertCanBeWritten();
    }

    @Test
    @Timeout(10)
    void aTaskThatIsBlockedByConsumersGoesOnWhenTheyLeave() throws Exception {
        partition.reset(0, CONSUMERS);
        partition.activate(0, CONSUMERS);
        List<ResultSubpartitionView> views = new ArrayList<>();
        for (int k = 0; k < CONSUMERS; k++) {
            views.add(request(k));
        }
        CompletableFuture<Void> written =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                assertCanBeWritten();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        while (partition.getAvailableFuture().isDone()) {
            Thread.yield();
        }
        for (ResultSubpartitionView view : views) {
            view.releaseAllResources();
        }
        written.get();
    }

    @Test
    void whatIsFinishedAfterItsConsumerHasLeftIsConsumed() throws Exception {
        for (int k = 0; k < 2; k++) {
            request(k).releaseAllResources();
        }
        partition.finish();
        partition.close();
        assertThat(partition.isReleased()).isTrue();
    }

    @Test
    void twoCannotConsumeOne() throws Exception {
        request(2);
        assertThatThrownBy(() -> request(2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("can only be consumed once");
    }
}
