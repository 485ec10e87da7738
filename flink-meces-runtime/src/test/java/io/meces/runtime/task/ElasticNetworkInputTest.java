// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TaskGate;
import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.event.TaskEvent;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the operator sees of two channels. */
class ElasticNetworkInputTest {

    private final IOManager ioManager = new IOManagerAsync();
    private final TwoChannels gate = new TwoChannels();
    private final List<Object> seen = new ArrayList<>();
    private ElasticNetworkInput<Integer> input;

    @BeforeEach
    void open() {
        input =
                new ElasticNetworkInput<>(
                        0,
                        new TaskGate(new CheckpointedInputGate(gate, null, null)),
                        IntSerializer.INSTANCE,
                        ioManager,
                        new Operator(),
                        new InputGroup(null, new Unconcerned()),
                        value -> value);
    }

    @AfterEach
    void close() throws Exception {
        ioManager.close();
    }

    private void onBoth(StreamElement element) throws Exception {
        input.processFrom(0, element);
        input.processFrom(1, element);
    }

    @Test
    void isIdleAtOnceAtRest() throws Exception {
        onBoth(new Watermark(5));
        onBoth(StreamStatus.IDLE);
        onBoth(StreamStatus.ACTIVE);
        assertThat(seen).containsExactly(new Watermark(5), StreamStatus.IDLE, StreamStatus.ACTIVE);
    }

    @Test
    void isNotIdleWhileAWatermarkIsHeldBack() throws Exception {
        onBoth(new Watermark(5));
        input.closeWatermark();
        onBoth(new Watermark(9));
        onBoth(StreamStatus.IDLE);
        assertThat(seen).containsExactly(new Watermark(5));
        input.raiseWatermarkCap(7);
        assertThat(seen).containsExactly(new Watermark(5), new Watermark(7));
        input.raiseWatermarkCap(Long.MAX_VALUE);
        assertThat(seen)
                .containsExactly(
                        new Watermark(5), new Watermark(7), new Watermark(9), StreamStatus.IDLE);
        onBoth(StreamStatus.ACTIVE);
        assertThat(seen).endsWith(StreamStatus.ACTIVE);
    }

    @Test
    void isNotIdleWhileRecordsMayWait() throws Exception {
        onBoth(new Watermark(5));
        input.closeWatermark();
        onBoth(StreamStatus.IDLE);
        input.raiseWatermarkCap(7);
        assertThat(seen).containsExactly(new Watermark(5));
        input.raiseWatermarkCap(Long.MAX_VALUE);
        assertThat(seen).containsExactly(new Watermark(5), StreamStatus.IDLE);
    }

    @Test
    void wasNeverIdleIfChannelsComeBackInTime() throws Exception {
        input.closeWatermark();
        onBoth(StreamStatus.IDLE);
        input.processFrom(1, StreamStatus.ACTIVE);
        input.raiseWatermarkCap(Long.MAX_VALUE);
        assertThat(seen).isEmpty();
        input.processFrom(1, StreamStatus.IDLE);
        assertThat(seen).containsExactly(StreamStatus.IDLE);
    }

    @Test
    void isActiveAtOnceThoughTheWatermarkIsHeldBack() throws Exception {
        onBoth(StreamStatus.IDLE);
        input.closeWatermark();
        onBoth(StreamStatus.ACTIVE);
        assertThat(seen).containsExactly(StreamStatus.IDLE, StreamStatus.ACTIVE);
        onBoth(StreamStatus.IDLE);
        assertThat(seen).hasSize(2);
        input.raiseWatermarkCap(Long.MAX_VALUE);
        assertThat(seen).containsExactly(StreamStatus.IDLE, StreamStatus.ACTIVE, StreamStatus.IDLE);
    }

    /** The next producer of a channel may be behind the last one. */
    @Test
    void waitsForTheNextProducerOfAChannel() throws Exception {
        input.processFrom(0, new Watermark(5));
        input.processFrom(1, new Watermark(9));
        event(new ChannelDown(), 1);
        event(new ChannelUp(), 1);
        input.processFrom(1, new Watermark(7));
        input.processFrom(0, new Watermark(20));
        assertThat(seen).containsExactly(new Watermark(5), new Watermark(7));
    }

    private void event(AbstractEvent event, int channel) throws Exception {
        gate.next = new BufferOrEvent(event, new InputChannelInfo(0, channel));
        input.emitNext(new Operator());
    }

    private final class Operator implements DataOutput<Integer> {
        @Override
        public void emitRecord(StreamRecord<Integer> record) {
            seen.add(record);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            seen.add(watermark);
        }

        @Override
        public void emitStreamStatus(StreamStatus status) {
            seen.add(status);
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            seen.add(marker);
        }
    }

    private static final class Unconcerned implements InputGroup.Listener {
        @Override
        public void channelChanged(InputChannelInfo channel, boolean up) {
            // nobody is to know
        }

        @Override
        public void afterProgress() {
            // no rescale runs
        }
    }

    /** Events come from here; the tests give elements to the input. */
    private static final class TwoChannels extends InputGate {

        @Nullable private BufferOrEvent next;

        @Override
        public int getNumberOfInputChannels() {
            return 2;
        }

        @Override
        public List<InputChannelInfo> getChannelInfos() {
            List<InputChannelInfo> channels = new ArrayList<>();
            channels.add(new InputChannelInfo(0, 0));
            channels.add(new InputChannelInfo(0, 1));
            return channels;
        }

        @Override
        public boolean isFinished() {
            return false;
        }

        @Override
        public Optional<BufferOrEvent> getNext() {
            return Optional.empty();
        }

        @Override
        public Optional<BufferOrEvent> pollNext() {
            Optional<BufferOrEvent> polled = Optional.ofNullable(next);
            next = null;
            return polled;
        }

        @Override
        public void sendTaskEvent(TaskEvent event) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void resumeConsumption(InputChannelInfo channel) {
            throw new UnsupportedOperationException();
        }

        @Override
        public InputChannel getChannel(int channel) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setup() {
            // there is nothing to set up
        }

        @Override
        public void requestPartitions() {
            // there are none
        }

        @Override
        public CompletableFuture<Void> getStateConsumedFuture() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void finishReadRecoveredState() {
            // there is none
        }

        @Override
        public void close() {
            // it has no resources
        }
    }
}
