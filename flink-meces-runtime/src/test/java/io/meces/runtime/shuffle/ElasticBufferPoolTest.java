// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.runtime.BufferLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In a TaskManager of 12 buffers; a partition that can have 32 consumers, two to begin with. */
class ElasticBufferPoolTest {

    private static final int BUFFERS = 12;

    private final NetworkBufferPool global = new NetworkBufferPool(BUFFERS, 64);
    private final OverdraftBuffers overdraft = new OverdraftBuffers();
    private final ElasticBufferPool pool = create();

    private ElasticBufferPool create() {
        try {
            return new ElasticBufferPool(
                    global,
                    2,
                    32,
                    new BufferLimits(2, 1, 2),
                    new TaskTimes(System::nanoTime).backPressured(),
                    overdraft);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void leavesNothingBehind() {
        pool.lazyDestroy();
        assertThat(pool.isDestroyed()).isTrue();
        assertThat(global.getNumberOfRegisteredBufferPools()).isZero();
        assertThat(global.getNumberOfAvailableMemorySegments()).isEqualTo(BUFFERS);
        global.destroy();
    }

    private static void recycle(BufferBuilder builder) {
        builder.finish();
        try (BufferConsumer consumer = builder.createBufferConsumerFromBeginning()) {
            assertThat(consumer.isFinished()).isTrue();
        }
    }

    /** All that can be had for a subpartition. */
    private List<BufferBuilder> drain(int subpartition) {
        List<BufferBuilder> taken = new ArrayList<>();
        for (BufferBuilder next = pool.requestBufferBuilder(subpartition);
                next != null;
                next = pool.requestBufferBuilder(subpartition)) {
            taken.add(next);
        }
        return taken;
    }

    @Test
    void hasWhatAPartitionOfTheActiveSubpartitionsWouldHave() throws Exception {
        assertThat(pool.getMaxNumberOfMemorySegments()).isEqualTo(2 * 2 + 1);
        // Flink checks that; the others take none
        assertThat(pool.getNumberOfRequiredMemorySegments()).isEqualTo(32);
        // three of twelve are spoken for
        assertThatThrownBy(() -> global.createBufferPool(10, 10)).isInstanceOf(IOException.class);
        global.createBufferPool(9, 9).lazyDestroy();
    }

    @Test
    void eachActiveSubpartitionCanHaveABufferWhateverTheOthersHave() throws Exception {
        pool.activateUpTo(5);
        global.createBufferPool(5, 5);
        List<BufferBuilder> taken = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            taken.add(pool.requestBufferBuilderBlocking(i));
        }
        taken.forEach(ElasticBufferPoolTest::recycle);
        global.destroyAllBufferPools();
    }

    @Test
    void isAvailableWhenAllOfItsSubpartitionsCanHaveABuffer() throws Exception {
        pool.activateUpTo(3);
        assertThat(pool.isAvailable()).isTrue();

        List<BufferBuilder> taken = drain(2);
        assertThat(taken).hasSize(2);
        CompletableFuture<?> available = pool.getAvailableFuture();
        assertThat(available.isDone()).isFalse();
        assertThat(pool.requestBufferBuilder(1)).satisfies(ElasticBufferPoolTest::recycle);

        taken.forEach(ElasticBufferPoolTest::recycle);
        assertThat(available.isDone()).isTrue();
        assertThat(pool.isAvailable()).isTrue();
    }

    /** In another thread. */
    private CompletableFuture<BufferBuilder> request(int subpartition) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return pool.requestBufferBuilderBlocking(subpartition);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @Test
    void whoIsBlockedGetsABufferWhileACommandWaits() throws Exception {
        List<BufferBuilder> taken = drain(1);
        overdraft.open();
        List<BufferBuilder> more = new ArrayList<>();
        for (int i = 0; i < OverdraftBuffers.MOST; i++) {
            more.add(pool.requestBufferBuilderBlocking(1));
        }
        // all are in use, until one comes back
        CompletableFuture<BufferBuilder> blocked = request(1);
        assertThat(overdraft.request()).isNull();
        recycle(more.remove(0));
        recycle(blocked.get(30, TimeUnit.SECONDS));

        overdraft.close();
        assertThat(overdraft.request()).isNull();
        blocked = request(1);
        recycle(taken.remove(0));
        taken.add(blocked.get(30, TimeUnit.SECONDS));
        more.forEach(ElasticBufferPoolTest::recycle);
        taken.forEach(ElasticBufferPoolTest::recycle);
    }

    @Test
    void aCommandThatComesWakesWhoIsBlocked() throws Exception {
        List<BufferBuilder> taken = drain(1);
        CompletableFuture<BufferBuilder> blocked = request(1);
        overdraft.open();
        recycle(blocked.get(30, TimeUnit.SECONDS));
        overdraft.close();
        taken.forEach(ElasticBufferPoolTest::recycle);
    }

    @Test
    void whoIsBlockedIsToldThatThePoolIsGone() throws Exception {
        List<BufferBuilder> taken = drain(1);
        CompletableFuture<BufferBuilder> blocked = request(1);
        pool.lazyDestroy();
        assertThatThrownBy(() -> blocked.get(30, TimeUnit.SECONDS))
                .hasMessageContaining("destroyed");
        taken.forEach(ElasticBufferPoolTest::recycle);
    }

    /** A task goes on only while its partition is available. */
    @Test
    void isAvailableWhenEachSubpartitionKeepsABufferThatIsNotFull() throws Exception {
        pool.activateUpTo(3);
        pool.activateUpTo(4);
        global.createBufferPool(5, 5);
        List<BufferBuilder> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            taken.add(pool.requestBufferBuilderBlocking(i));
        }
        assertThat(pool.isAvailable()).isTrue();
        taken.forEach(ElasticBufferPoolTest::recycle);
        global.destroyAllBufferPools();
    }

    @Test
    void nothingChangesIfThereAreTooFewBuffers() throws Exception {
        assertThatThrownBy(() -> pool.activateUpTo(13))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Insufficient number of network buffers: required 12");
        assertThat(pool.getMaxNumberOfMemorySegments()).isEqualTo(5);
        pool.activateUpTo(10);
        assertThat(pool.getMaxNumberOfMemorySegments()).isEqualTo(5 + 8 * 2);
    }

    @Test
    void givesBackWhatThoseHadThatAreNotActiveAnyMore() throws Exception {
        pool.activateUpTo(5);
        BufferBuilder late = pool.requestBufferBuilder(4);
        pool.activateUpTo(8);
        pool.deactivateFrom(4);
        // 2 to 4 belong together, and 3 is active
        assertThat(pool.getMaxNumberOfMemorySegments()).isEqualTo(5 + 3 * 2);
        pool.activateUpTo(5);
        assertThat(pool.getMaxNumberOfMemorySegments()).isEqualTo(5 + 3 * 2);

        pool.deactivateFrom(1);
        assertThat(pool.getMaxNumberOfMemorySegments()).isEqualTo(5);
        assertThat(pool.bestEffortGetNumOfUsedBuffers()).isZero();
        // its consumer gives it back when it likes
        recycle(late);
        pool.activateUpTo(3);
        assertThat(pool.requestBufferBuilder(2)).satisfies(ElasticBufferPoolTest::recycle);
    }

    @Test
    void isNotGivenMoreWhenItIsDestroyed() {
        pool.lazyDestroy();
        assertThatThrownBy(() -> pool.activateUpTo(3)).isInstanceOf(IOException.class);
    }
}
