// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironmentBuilder;
import org.apache.flink.runtime.io.network.TaskEventDispatcher;
import org.apache.flink.runtime.io.network.api.serialization.EventSerializer;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannelBuilder;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGateBuilder;
import org.apache.flink.runtime.io.network.partition.consumer.TestInputChannel;
import org.apache.flink.runtime.throughput.BufferDebloatConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What producers that come are told of the size of buffers. */
@Timeout(60)
class DebloatedGateTest {

    private static final int NEW = 1;
    private static final int NEVER_THERE = 2;

    /** A producer that comes begins with it. */
    private static final int NOT_TOLD = 0;

    private final NettyShuffleEnvironment netty = new NettyShuffleEnvironmentBuilder().build();
    private final Producer[] producers = new Producer[3];

    private SingleInputGate flinks;
    private ElasticInputGate gate;

    @BeforeEach
    void open() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.BUFFER_DEBLOAT_ENABLED, true);
        configuration.set(TaskManagerOptions.BUFFER_DEBLOAT_TARGET, Duration.ofSeconds(1));
        flinks =
                new SingleInputGateBuilder()
                        .setResultPartitionType(ResultPartitionType.PIPELINED_BOUNDED)
                        .setNumberOfChannels(producers.length)
                        .setBufferDebloatConfiguration(
                                BufferDebloatConfiguration.fromConfiguration(configuration))
                        .build();
        for (int i = 0; i < producers.length; i++) {
            producers[i] = new Producer(flinks, i);
        }
        flinks.setInputChannels(producers);
        BitSet inactive = new BitSet();
        inactive.set(NEW);
        inactive.set(NEVER_THERE);
        gate =
                new ElasticInputGate(
                        flinks,
                        inactive,
                        new BitSet(),
                        netty,
                        new TaskEventDispatcher(),
                        new InputChannelMetrics(new UnregisteredMetricsGroup()),
                        this);
    }

    @AfterEach
    void close() throws Exception {
        gate.close();
        netty.close();
    }

    /** Nothing comes, so the size that is right changes, until somebody is told another one. */
    private int tellAnother() {
        int before = producers[0].getCurrentBufferSize();
        while (producers[0].getCurrentBufferSize() == before) {
            gate.triggerDebloating();
        }
        return producers[0].getCurrentBufferSize();
    }

    private void join() throws Exception {
        gate.update(
                flinks.getChannel(NEW).getPartitionId(),
                -1,
                () -> {
                    flinks.setInputChannels(
                            producers[0], producers[NEW], flinks.getChannel(NEVER_THERE));
                    return true;
                });
        send(new ChannelUp());
    }

    private void send(AbstractEvent event) throws Exception {
        producers[NEW].read(EventSerializer.toBuffer(event, false), Buffer.DataType.NONE);
        producers[NEW].notifyGate();
        assertThat(gate.pollNext().get().getEvent()).isInstanceOf(event.getClass());
    }

    @Test
    void aProducerThatComesIsToldWhatTheOthersHaveBeenTold() throws Exception {
        int told = tellAnother();
        join();
        assertThat(producers[NEW].getCurrentBufferSize()).isEqualTo(told);
        int other = tellAnother();
        assertThat(producers[NEW].getCurrentBufferSize()).isEqualTo(other);
    }

    @Test
    void nothingIsToldBeforeThereIsSomethingToTell() throws Exception {
        join();
        assertThat(producers[NEW].getCurrentBufferSize()).isEqualTo(NOT_TOLD);
    }

    /** Flink makes the channel first, and connects it then. */
    @Test
    void aChannelThatIsBeingConnectedIsLeftAlone() throws Exception {
        InputChannel notConnected =
                InputChannelBuilder.newBuilder()
                        .setChannelIndex(NEW)
                        .setPartitionId(producers[NEW].getPartitionId())
                        .buildRemoteChannel(flinks);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        gate.update(
                producers[NEW].getPartitionId(),
                -1,
                () -> {
                    flinks.setInputChannels(
                            producers[0], notConnected, flinks.getChannel(NEVER_THERE));
                    Thread task = new Thread(this::debloatOften);
                    task.setUncaughtExceptionHandler((thread, cause) -> failure.set(cause));
                    task.start();
                    task.join();
                    flinks.setInputChannels(
                            producers[0], producers[NEW], flinks.getChannel(NEVER_THERE));
                    return true;
                });
        assertThat(failure.get()).isNull();
        assertThat(tellAnother()).isPositive();
        assertThat(producers[NEW].getCurrentBufferSize())
                .isEqualTo(producers[0].getCurrentBufferSize());
    }

    private void debloatOften() {
        for (int i = 0; i < 100; i++) {
            gate.triggerDebloating();
        }
    }

    @Test
    void aProducerThatComesBackIsTold() throws Exception {
        tellAnother();
        join();
        int told = tellAnother();
        send(new ChannelDown());
        producers[NEW] = new Producer(flinks, NEW);
        join();
        assertThat(producers[NEW].getCurrentBufferSize()).isEqualTo(told);
    }

    /** A channel of Flink's tests that tells its gate what has come. */
    private static final class Producer extends TestInputChannel {

        Producer(SingleInputGate gate, int index) {
            super(gate, index, false, false);
        }

        void notifyGate() {
            notifyChannelNonEmpty();
        }
    }
}
