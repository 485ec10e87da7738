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

package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
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
    private final List<Object> seen = new ArrayList<>();
    private ElasticNetworkInput<Integer> input;

    @BeforeEach
    void open() {
        input =
                new ElasticNetworkInput<>(
                        0,
                        new CheckpointedInputGate(new TwoChannels(), null, null),
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

    /** Elements do not come from here: the tests give them to the input. */
    private static final class TwoChannels extends InputGate {
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
            return Optional.empty();
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
