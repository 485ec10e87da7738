// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static io.meces.runtime.shuffle.ElasticInputGateTest.barrier;
import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.SentInputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.UnionInputGate;
import org.apache.flink.streaming.runtime.io.CheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.io.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.InputProcessorUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two gates of one task, each with two producers that are there and a channel for one more. Flink
 * aligns the barriers of both together.
 */
class ElasticInputGatesTest {

    private static final int NEW = 2;
    private static final EndOfPartitionEvent END = EndOfPartitionEvent.INSTANCE;

    @TempDir private Path directory;

    private final List<String> checkpoints = new ArrayList<>();
    private NettyShuffleEnvironment netty;
    private Gate first;
    private Gate second;
    private CheckpointBarrierHandler handler;

    @BeforeEach
    @SuppressWarnings("unchecked")
    void open() {
        TaskEventDispatcher events = new TaskEventDispatcher();
        netty = ElasticInputGateTest.netty(directory, events);
        first = new Gate(0, events);
        second = new Gate(1, events);
        handler =
                InputProcessorUtil.createCheckpointBarrierHandler(
                        new ElasticInputGateTest.Task(checkpoints),
                        ElasticInputGateTest.exactlyOnce(),
                        null,
                        "task",
                        new List[] {
                            Collections.singletonList(first.gate),
                            Collections.singletonList(second.gate)
                        },
                        Collections.emptyList());
        first.input = new CheckpointedInputGate(first.gate, handler, null);
        second.input = new CheckpointedInputGate(second.gate, handler, null);
    }

    @AfterEach
    void close() throws Exception {
        first.gate.close();
        second.gate.close();
        netty.close();
    }

    @Test
    void aGateThatHasEndedHoldsBackNoBarriers() throws Exception {
        first.send(0, END);
        first.send(1, END);
        second.send(0, barrier(7));
        second.send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        second.assertNoneIsBlocked();
        assertThat(first.input.isFinished()).isTrue();
        assertThat(second.input.isFinished()).isFalse();
    }

    @Test
    void aGateThatEndsWhileBarriersAreAlignedHoldsThemBackNoLonger() throws Exception {
        second.send(0, barrier(7));
        first.send(0, END);
        assertThat(checkpoints).containsExactly("aborted 7");
        second.send(0, barrier(8));
        second.send(1, barrier(7), barrier(8));
        first.send(1, END);
        assertThat(checkpoints).containsExactly("aborted 7", "aborted 8");
        second.send(0, barrier(9));
        second.send(1, barrier(9));
        assertThat(checkpoints).containsExactly("aborted 7", "aborted 8", "taken 9");
        second.assertNoneIsBlocked();
    }

    @Test
    void aGateThatEndsAsItsLastProducerGoesHoldsBackNoBarriers() throws Exception {
        first.join();
        first.send(0, END);
        first.send(1, END);
        second.send(0, barrier(7));
        second.send(1, barrier(7));
        assertThat(checkpoints).isEmpty();
        first.send(NEW, new ChannelDown());
        assertThat(first.input.isFinished()).isTrue();
        second.assertNoneIsBlocked();
        second.send(0, barrier(8));
        second.send(1, barrier(8));
        assertThat(checkpoints).last().isEqualTo("taken 8");
        second.assertNoneIsBlocked();
    }

    @Test
    void aProducerThatGoesIsNotWaitedFor() throws Exception {
        first.join();
        second.send(0, barrier(7));
        second.send(1, barrier(7));
        first.send(0, barrier(7));
        first.send(NEW, new ChannelDown());
        first.send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        first.assertNoneIsBlocked();
        second.assertNoneIsBlocked();
    }

    @Test
    void norIsItIfItGoesLast() throws Exception {
        first.join();
        second.send(0, barrier(7));
        second.send(1, barrier(7));
        first.send(0, barrier(7));
        first.send(1, barrier(7));
        assertThat(checkpoints).isEmpty();
        first.send(NEW, new ChannelDown());
        assertThat(checkpoints).containsExactly("taken 7");
        first.assertNoneIsBlocked();
        second.assertNoneIsBlocked();
    }

    @Test
    void aUnionOfGatesEndsWhenAllHaveEnded() throws Exception {
        CheckpointedInputGate union =
                new CheckpointedInputGate(
                        new UnionInputGate(first.gate, second.gate), handler, null);
        first.input = union;
        second.input = union;
        second.join();
        first.send(0, END);
        first.send(1, END);
        second.send(0, END);
        second.send(1, END);
        assertThat(union.isFinished()).isFalse();
        second.send(NEW, new ChannelDown());
        assertThat(union.isFinished()).isTrue();
    }

    @Test
    void aUnionEndsTheGateWhoseProducersHadAllFinished() throws Exception {
        Gate over = new Gate(0, new TaskEventDispatcher(), 0, 1);
        CheckpointedInputGate union =
                new CheckpointedInputGate(
                        new UnionInputGate(over.gate, second.gate), handler, null);
        second.input = union;
        second.send(0, barrier(7));
        second.send(1, barrier(7));
        assertThat(over.gate.isFinished()).isTrue();
        assertThat(union.isFinished()).isFalse();
        second.send(0, END);
        second.send(1, END);
        assertThat(union.isFinished()).isTrue();
        over.gate.close();
    }

    @Test
    void aUnionReadsOnWhatRemains() throws Exception {
        CheckpointedInputGate union =
                new CheckpointedInputGate(
                        new UnionInputGate(first.gate, second.gate), handler, null);
        first.input = union;
        second.input = union;
        first.send(0, END);
        first.send(1, END);
        second.send(0, barrier(7));
        second.send(1, barrier(7));
        assertThat(checkpoints).containsExactly("taken 7");
        second.send(0, END);
        second.send(1, END);
        assertThat(union.isFinished()).isTrue();
    }

    /** A gate of the task, with its producers. */
    private final class Gate {
        final SingleInputGate flinkGate;
        final SentInputChannel[] producers = new SentInputChannel[3];
        final ElasticInputGate gate;
        CheckpointedInputGate input;

        /**
         * @param finished producers that had finished before
         */
        Gate(int index, TaskEventDispatcher events, int... finished) {
            flinkGate = ElasticInputGateTest.flinkGate(netty, index, producers.length);
            for (int i = 0; i < producers.length; i++) {
                producers[i] = new SentInputChannel(flinkGate, i, new ResultPartitionID());
            }
            flinkGate.setInputChannels(producers);
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
        }

        void join() throws Exception {
            gate.update(
                    producers[NEW].getPartitionId(),
                    -1,
                    () -> {
                        flinkGate.setInputChannels(producers);
                        return true;
                    });
            send(NEW, new ChannelUp());
        }

        void send(int channel, AbstractEvent... events) throws Exception {
            producers[channel].send(events);
            Optional<BufferOrEvent> next = input.pollNext();
            while (next.isPresent()) {
                next = input.pollNext();
            }
        }

        void assertNoneIsBlocked() {
            assertThat(Arrays.asList(producers)).noneMatch(SentInputChannel::isBlocked);
        }
    }
}
