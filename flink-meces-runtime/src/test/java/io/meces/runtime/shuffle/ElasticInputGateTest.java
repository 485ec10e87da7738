// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.Handover;
import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import io.meces.runtime.event.HandedOver;
import io.meces.runtime.event.StepMarker;
import io.meces.runtime.event.TakenOver;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointMetaData;
import org.apache.flink.runtime.checkpoint.CheckpointMetricsBuilder;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.io.network.api.CancelCheckpointMarker;
import org.apache.flink.runtime.io.network.api.CheckpointBarrier;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.apache.flink.runtime.io.network.buffer.NetworkBuffer;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.SentInputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.tasks.AbstractInvokable;
import org.apache.flink.runtime.shuffle.ShuffleEnvironmentContext;
import org.apache.flink.streaming.api.CheckpointingMode;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.runtime.io.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.InputProcessorUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two producers that are there from the beginning, and one that comes; Flink aligns them. */
class ElasticInputGateTest {

    private static final int NEW = 2;

    @TempDir private Path directory;

    private final ResultPartitionID[] partitions = {
        new ResultPartitionID(), new ResultPartitionID(), new ResultPartitionID()
    };
    private final SentInputChannel[] producers = new SentInputChannel[3];
    private final List<String> checkpoints = new ArrayList<>();
    private final List<String> read = new ArrayList<>();

    private NettyShuffleEnvironment netty;
    private SingleInputGate flinkGate;
    private ElasticInputGate gate;
    private CheckpointedInputGate input;

    @BeforeEach
    void open() throws Exception {
        TaskEventDispatcher events = new TaskEventDispatcher();
        netty = netty(directory, events);
        flinkGate = flinkGate(netty, 0, producers.length);
        for (int i = 0; i < producers.length; i++) {
            producers[i] = new SentInputChannel(flinkGate, i, partitions[i]);
        }
        flinkGate.setInputChannels(producers);
        open(events);
    }

    /**
     * @param finished producers that had finished before
     */
    @SuppressWarnings("unchecked")
    private void open(TaskEventDispatcher events, int... finished) {
        BitSet inactive = new BitSet();
        inactive.set(NEW);
        gate =
                new ElasticInputGate(
                        flinkGate,
                        inactive,
                        Arrays.stream(finished).collect(BitSet::new, BitSet::set, BitSet::or),
                        netty,
                        events,
                        new InputChannelMetrics(new UnregisteredMetricsGroup()),
                        this);
        input =
                new CheckpointedInputGate(
                        gate,
                        InputProcessorUtil.createCheckpointBarrierHandler(
                                new Task(checkpoints),
                                exactlyOnce(),
                                null,
                                "task",
                                new List[] {Collections.singletonList(gate)},
                                Collections.emptyList()),
                        null);
    }

    @AfterEach
    void close() throws Exception {
        gate.close();
        netty.close();
    }

    static NettyShuffleEnvironment netty(Path directory, TaskEventDispatcher events) {
        Configuration configuration = new Configuration();
        configuration.set(CoreOptions.TMP_DIRS, directory.toString());
        return new NettyShuffleServiceFactory()
                .createShuffleEnvironment(
                        new ShuffleEnvironmentContext(
                                configuration,
                                ResourceID.generate(),
                                MemorySize.parse("1m"),
                                true,
                                InetAddress.getLoopbackAddress(),
                                events,
                                new UnregisteredMetricsGroup(),
                                Runnable::run));
    }

    static SingleInputGate flinkGate(NettyShuffleEnvironment netty, int index, int channels) {
        return new SingleInputGate(
                "task",
                index,
                new IntermediateDataSetID(),
                ResultPartitionType.PIPELINED_BOUNDED,
                0,
                channels,
                (dataSet, partition, response) -> {},
                () -> null,
                null,
                netty.getNetworkBufferPool(),
                32_768);
    }

    static StreamConfig exactlyOnce() {
        StreamConfig config = new StreamConfig(new Configuration());
        config.setCheckpointMode(CheckpointingMode.EXACTLY_ONCE);
        return config;
    }

    /** The new producer comes; it takes part in checkpoints after a given one. */
    private void join(long lastCheckpoint) throws Exception {
        gate.update(
                partitions[NEW],
                lastCheckpoint,
                () -> {
                    flinkGate.setInputChannels(producers);
                    return true;
                });
        send(NEW, new ChannelUp());
    }

    private void send(int channel, AbstractEvent... events) throws Exception {
        producers[channel].send(events);
        read();
    }

    private void read() throws Exception {
        for (Optional<BufferOrEvent> next = input.pollNext();
                next.isPresent();
                next = input.pollNext()) {
            read.add(
                    next.get().getChannelInfo().getInputChannelIdx() + " " + next.get().getEvent());
        }
    }

    static CheckpointBarrier barrier(long id) {
        return new CheckpointBarrier(id, 0, CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    private void assertNoneIsBlocked() {
        assertThat(producers).noneMatch(SentInputChannel::isBlocked);
    }

    @Test
    void itIsConnectedWhenAllProducersHaveBeenReached() throws Exception {
        assertThat(gate.whenConnected()).isNotDone();
        gate.requestPartitions();
        assertThat(gate.whenConnected()).isDone();
    }

    @Test
    void itIsNotConnectedWhenAProducerCannotBeReached() throws Exception {
        producers[1].makeUnreachable();
        gate.requestPartitions();
        assertThat(gate.whenConnected()).isNotDone();
    }

    @Test
    void aProducerThatHadFinishedIsNotWaitedFor() throws Exception {
        open(new TaskEventDispatcher(), 1);
        gate.requestPartitions();
        assertThat(gate.whenConnected()).isDone();
        assertThat(gate.hasEnded(1)).isTrue();
        assertThat(gate.getAvailableFuture()).isDone();
        read();
        assertThat(read).containsExactly("1 EndOfPartitionEvent");
        assertThat(gate.isFinished()).isFalse();
        send(0, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        assertNoneIsBlocked();
        send(0, EndOfPartitionEvent.INSTANCE);
        assertThat(gate.isFinished()).isTrue();
        assertThat(read).endsWith("0 EndOfPartitionEvent", NEW + " EndOfPartitionEvent");
    }

    @Test
    void aGateWhoseProducersHadAllFinishedEndsAtOnce() throws Exception {
        open(new TaskEventDispatcher(), 0, 1);
        assertThat(gate.isFinished()).isFalse();
        read();
        assertThat(read)
                .containsExactly(
                        "0 EndOfPartitionEvent",
                        "1 EndOfPartitionEvent",
                        NEW + " EndOfPartitionEvent");
        assertThat(gate.isFinished()).isTrue();
        assertThat(gate.getAvailableFuture()).isDone();
    }

    @Test
    void allProducersAreResumedWhenTheLastBarrierHasCome() throws Exception {
        join(6);
        send(0, barrier(7));
        send(NEW, barrier(7));
        assertThat(producers[NEW].isBlocked()).isTrue();
        send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerIsNotResumedFromACheckpointBeforeIts() throws Exception {
        join(7);
        send(0, barrier(7));
        send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerThatComesWhileBarriersAreAlignedIsNotResumed() throws Exception {
        send(0, barrier(7));
        join(7);
        send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerThatComesBeforeACheckpointIsCancelledIsNotResumed() throws Exception {
        send(0, barrier(7));
        join(7);
        send(1, new CancelCheckpointMarker(7));
        assertThat(checkpoints).containsExactly("aborted 7");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerIsNotResumedFromACheckpointThatIsKnownToBeCancelled() throws Exception {
        join(7);
        send(0, new CancelCheckpointMarker(7));
        send(1, barrier(7));
        assertThat(checkpoints).containsExactly("aborted 7");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerStaysBlockedByItsOwnBarrierWhenAnOlderCheckpointIsGivenUp() throws Exception {
        join(7);
        send(0, barrier(7));
        send(NEW, barrier(8), new ChannelDown());
        assertThat(checkpoints).containsExactly("aborted 7");
        assertThat(producers[NEW].isBlocked()).isTrue();
        assertThat(read).doesNotContain(NEW + " ChannelDown");
        send(1, barrier(7), barrier(8));
        send(0, barrier(8));
        assertThat(checkpoints).containsExactly("aborted 7", "taken 8");
        assertThat(read).contains(NEW + " ChannelDown");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerIsNotResumedFromAnyOfTwoCheckpointsBeforeIts() throws Exception {
        join(8);
        send(0, barrier(7));
        send(1, barrier(8));
        send(0, barrier(8));
        assertThat(checkpoints).containsExactly("aborted 7", "taken 8");
        assertNoneIsBlocked();
    }

    @Test
    void aProducerThatHasGoneIsNotResumed() throws Exception {
        join(7);
        send(0, barrier(7));
        send(NEW, new ChannelDown());
        send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        assertNoneIsBlocked();
    }

    @Test
    void whatFollowsTakenOverWaitsForTheDonor() throws Exception {
        send(1, new TakenOver(0, new Handover(3, 2)), new StepMarker(1), new StepMarker(2));
        assertThat(read).isEmpty();
        send(0, new HandedOver(new Handover(3, 1)), new StepMarker(5));
        assertThat(read).containsExactly("0 StepMarker(5)");
        send(0, new HandedOver(new Handover(3, 2)), new StepMarker(6));
        assertThat(read)
                .containsExactly(
                        "0 StepMarker(5)", "1 StepMarker(1)", "1 StepMarker(2)", "0 StepMarker(6)");
        send(1, new StepMarker(3));
        assertThat(read).endsWith("1 StepMarker(3)");
    }

    @Test
    void theGateIsAvailableWhileSomethingThatWasKeptCanBeRead() throws Exception {
        send(1, new TakenOver(0, new Handover(3, 1)), new StepMarker(1), new StepMarker(2));
        assertThat(gate.getAvailableFuture()).isNotDone();
        producers[0].send(new HandedOver(new Handover(3, 1)));
        assertThat(gate.getAvailableFuture()).isDone();
        assertThat(gate.pollNext()).hasValueSatisfying(e -> assertThat(e.isEvent()).isTrue());
        assertThat(gate.getAvailableFuture()).isDone();
        assertThat(gate.pollNext()).isPresent();
        assertThat(gate.pollNext()).isNotPresent();
        assertThat(gate.getAvailableFuture()).isNotDone();
    }

    @Test
    void aBarrierThatIsKeptBlocksItsProducerUntilItIsAnswered() throws Exception {
        send(1, new TakenOver(0, new Handover(3, 1)), barrier(7));
        assertThat(producers[1].isBlocked()).isTrue();
        send(0, new HandedOver(new Handover(3, 1)), barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        assertNoneIsBlocked();
    }

    @Test
    void anOldBarrierOfADonorDoesNotHoldUpWhoeverWaitsForTheDonor() throws Exception {
        send(1, new TakenOver(0, new Handover(3, 1)), barrier(7), new StepMarker(1));
        send(0, barrier(7), new HandedOver(new Handover(3, 1)), new StepMarker(5));
        assertThat(checkpoints).as("which is obsolete").containsExactly("taken 7");
        assertThat(read).contains("0 StepMarker(5)", "1 StepMarker(1)");
        assertNoneIsBlocked();
    }

    @Test
    void norIfTheReceiverIsReadLater() throws Exception {
        send(0, barrier(7), new HandedOver(new Handover(3, 1)), new StepMarker(5));
        assertThat(checkpoints).isEmpty();
        send(1, new TakenOver(0, new Handover(3, 1)), barrier(7), new StepMarker(1));
        assertThat(checkpoints).containsExactly("taken 7");
        assertThat(read).contains("0 StepMarker(5)", "1 StepMarker(1)");
        assertNoneIsBlocked();
    }

    @Test
    void buffersThatAreKeptAreRecycledWhenTheGateIsClosed() throws Exception {
        send(1, new TakenOver(0, new Handover(3, 1)));
        Buffer buffer =
                new NetworkBuffer(
                        MemorySegmentFactory.allocateUnpooledSegment(16),
                        FreeingBufferRecycler.INSTANCE);
        producers[1].send(buffer);
        assertThat(gate.pollNext()).isNotPresent();
        assertThat(buffer.isRecycled()).isFalse();
        gate.close();
        assertThat(buffer.isRecycled()).isTrue();
    }

    /** Writes down which checkpoints it is to take. */
    static final class Task extends AbstractInvokable {

        private final List<String> checkpoints;

        Task(List<String> checkpoints) {
            super(
                    (Environment)
                            Proxy.newProxyInstance(
                                    ElasticInputGateTest.class.getClassLoader(),
                                    new Class<?>[] {Environment.class},
                                    (proxy, method, arguments) -> null));
            this.checkpoints = checkpoints;
        }

        @Override
        public void invoke() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void triggerCheckpointOnBarrier(
                CheckpointMetaData checkpoint,
                CheckpointOptions options,
                CheckpointMetricsBuilder metrics) {
            checkpoints.add("taken " + checkpoint.getCheckpointId());
        }

        @Override
        public void abortCheckpointOnBarrier(long checkpoint, Throwable cause) {
            checkpoints.add("aborted " + checkpoint);
        }
    }
}
