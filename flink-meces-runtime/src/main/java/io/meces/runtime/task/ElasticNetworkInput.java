// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.eventtime.WatermarkCap;
import io.meces.core.protocol.SubtaskMigration;
import io.meces.flink.runtime.Deserializers;
import io.meces.flink.runtime.ElementOutput;
import io.meces.flink.runtime.Idleness;
import io.meces.flink.runtime.InputProgress;
import io.meces.flink.runtime.NetworkInput;
import io.meces.flink.runtime.OtherElements;
import io.meces.flink.runtime.TaskGate;
import io.meces.flink.runtime.WatermarkValve;
import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import io.meces.runtime.event.StepMarker;
import io.meces.state.SubGroups;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer;
import org.apache.flink.runtime.io.network.api.serialization.SpillingAdaptiveSpanningRecordDeserializer;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.plugable.DeserializationDelegate;
import org.apache.flink.runtime.plugable.NonReusingDeserializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * An input of a task that is, or is next to, an elastic vertex. Reading an element and processing
 * it are two steps, with the migration protocol between them while a rescale runs. At rest a record
 * goes straight from the gate to the operator.
 *
 * <p>Owned by the task thread.
 *
 * @param <T> the type of the records
 */
public final class ElasticNetworkInput<T> extends NetworkInput<T> {

    private final int index;
    private final TaskGate gate;
    private final int firstChannel;
    private final int[] gateOffsets;
    private final StreamElementSerializer<T> serializer;
    private final DeserializationDelegate<StreamElement> delegate;
    private final RecordDeserializer<DeserializationDelegate<StreamElement>>[] deserializers;
    private final WatermarkValve valve;
    private DataOutput<T> operator;
    private final ValveOutput valveOutput = new ValveOutput();
    private final InputGroup group;
    @Nullable private final KeySelector<T, ?> keySelector;

    private final SubtaskMigration.Source whileRescaling = new Ahead();

    /** Channels whose producers had finished before the task began. */
    private final BitSet finishedBefore = new BitSet();

    private final WatermarkCap watermarkCap = new WatermarkCap();
    private long valveWatermark = Long.MIN_VALUE;

    /** Whether all channels are idle, and the operator does not know it yet. */
    private boolean idleHeldBack;

    private int currentChannel = -1;
    @Nullable private RecordDeserializer<DeserializationDelegate<StreamElement>> current;

    /**
     * @param index the index of the input among those of the operator
     * @param group the inputs of the task; this one joins it
     * @param keySelector the key of a record; null if the input is not partitioned by key: one of
     *     an elastic vertex is broadcast then
     */
    @SuppressWarnings("unchecked")
    public ElasticNetworkInput(
            int index,
            TaskGate gate,
            TypeSerializer<T> serializer,
            IOManager ioManager,
            DataOutput<T> operator,
            InputGroup group,
            @Nullable KeySelector<T, ?> keySelector) {
        this.index = index;
        this.gate = gate;
        this.serializer = new StreamElementSerializer<>(serializer);
        this.delegate = new NonReusingDeserializationDelegate<>(this.serializer);
        this.operator = operator;
        this.group = group;
        this.keySelector = keySelector;
        List<InputChannelInfo> channels = gate.getChannelInfos();
        this.gateOffsets = offsets(channels);
        this.deserializers = new RecordDeserializer[channels.size()];
        for (int i = 0; i < deserializers.length; i++) {
            deserializers[i] =
                    new SpillingAdaptiveSpanningRecordDeserializer<>(
                            ioManager.getSpillingDirectoriesPaths());
        }
        this.valve = new WatermarkValve(channels.size());
        this.firstChannel = group.add(this, channels, keySelector != null);
    }

    /** Where the channels of each gate begin; the index is that of the gate. */
    private static int[] offsets(List<InputChannelInfo> channels) {
        int gates = 0;
        for (InputChannelInfo channel : channels) {
            gates = Math.max(gates, channel.getGateIdx() + 1);
        }
        int[] offsets = new int[gates];
        for (int i = channels.size() - 1; i >= 0; i--) {
            offsets[channels.get(i).getGateIdx()] = i;
        }
        return offsets;
    }

    private int flatten(InputChannelInfo channel) {
        return gateOffsets[channel.getGateIdx()] + channel.getInputChannelIdx();
    }

    int firstChannel() {
        return firstChannel;
    }

    /**
     * To be called once, before the first element is read: channels without a producer are idle.
     */
    void markInactive(int channel) throws Exception {
        valve.inputIdleness(true, channel - firstChannel, valveOutput);
    }

    /**
     * As {@link #markInactive}: a producer had finished before this task began. With the end of the
     * channel comes the watermark that it sent to others before their end.
     */
    void markFinished(int channel) {
        finishedBefore.set(channel - firstChannel);
    }

    // ------------------------------------------------------------------------
    //  Reading
    // ------------------------------------------------------------------------

    @Override
    protected InputProgress proceed() throws Exception {
        SubtaskMigration<InputElement> migration = group.migration();
        if (migration != null) {
            return emitNextWhileRescaling(migration);
        }
        StreamElement element = read();
        if (element != null) {
            process(element, currentChannel);
            return InputProgress.MORE_AVAILABLE;
        }
        return statusWithoutElement();
    }

    /**
     * After {@link #read()} has brought nothing: an event has been handled, or there is no input.
     */
    private InputProgress statusWithoutElement() {
        InputProgress endOfData = dataEnded || group.holdsEnd() ? null : gate.endOfData();
        if (endOfData != null) {
            dataEnded = true;
            checkMayEnd();
            return endOfData;
        }
        if (eventHandled) {
            return InputProgress.MORE_AVAILABLE;
        }
        if (gate.isFinished() && !group.holdsEnd()) {
            checkMayEnd();
            return InputProgress.END_OF_INPUT;
        }
        return InputProgress.NOTHING_AVAILABLE;
    }

    private void checkMayEnd() {
        if (!mayEnd) {
            throw new IllegalStateException(
                    "The job ends while this subtask leaves. This release of Flink would end"
                            + " its operators twice, so the job recovers from its last"
                            + " checkpoint, and ends then.");
        }
    }

    /** Whether the task knows that nothing comes any more but events. */
    private boolean dataEnded;

    private boolean eventHandled;
    private boolean mayEnd = true;
    private long bytesRead;

    /** The next element, or null: then {@link #eventHandled} says whether to go on. */
    @Nullable
    private StreamElement read() throws Exception {
        while (true) {
            if (current != null) {
                RecordDeserializer.DeserializationResult result = current.getNextRecord(delegate);
                if (result.isBufferConsumed()) {
                    Deserializers.onConsumed(current);
                    current = null;
                }
                if (result.isFullRecord()) {
                    return delegate.getInstance();
                }
            }
            Optional<BufferOrEvent> next = gate.pollNext();
            if (!next.isPresent()) {
                eventHandled = false;
                return null;
            }
            int channel = flatten(next.get().getChannelInfo());
            if (next.get().isBuffer()) {
                currentChannel = channel;
                current = deserializers[channel];
                bytesRead += next.get().getSize();
                current.setNextBuffer(next.get().getBuffer());
            } else {
                onEvent(next.get().getEvent(), next.get().getChannelInfo(), channel);
                // back to the mailbox: a barrier may have asked for a checkpoint
                eventHandled = true;
                return null;
            }
        }
    }

    private void onEvent(AbstractEvent event, InputChannelInfo info, int channel) throws Exception {
        SubtaskMigration<InputElement> migration = group.migration();
        if (event instanceof StepMarker) {
            if (migration != null) {
                migration.onMarker(((StepMarker) event).step(), firstChannel + channel);
            }
        } else if (event instanceof EndOfPartitionEvent) {
            Deserializers.release(deserializers[channel]);
            if (finishedBefore.get(channel)) {
                onFinishedBefore(channel);
            }
            group.channelEnded(firstChannel + channel);
        } else if (event instanceof ChannelUp) {
            valve.inputIdleness(false, channel, valveOutput);
            if (valveWatermark > Long.MIN_VALUE) {
                // It counts from now on, and nothing that comes from it is late.
                valve.inputWatermark(new Watermark(valveWatermark), channel, valveOutput);
            }
            group.channelUp(firstChannel + channel, info);
        } else if (event instanceof ChannelDown) {
            Deserializers.release(deserializers[channel]);
            valve.inputIdleness(true, channel, valveOutput);
            valve.forget(channel);
            group.channelDown(firstChannel + channel, info);
        }
    }

    private void onFinishedBefore(int channel) throws Exception {
        SubtaskMigration<InputElement> migration = group.migration();
        if (migration == null) {
            process(Watermark.MAX_WATERMARK, channel);
        } else {
            migration.onOther(
                    new StreamInputElement(
                            this, firstChannel + channel, -1, Watermark.MAX_WATERMARK));
        }
    }

    private InputProgress emitNextWhileRescaling(SubtaskMigration<InputElement> migration)
            throws Exception {
        boolean more = migration.turn(whileRescaling);
        group.afterProgress();
        if (more || migration.hasBacklog()) {
            return InputProgress.MORE_AVAILABLE;
        }
        return group.isFull() ? InputProgress.NOTHING_AVAILABLE : statusWithoutElement();
    }

    /** This input while a rescale runs: what it brings goes to the migration. */
    final class Ahead implements SubtaskMigration.Source {

        @Override
        public SubtaskMigration.Read readNext() throws Exception {
            StreamElement element = read();
            if (element == null) {
                return eventHandled ? SubtaskMigration.Read.EVENT : SubtaskMigration.Read.NOTHING;
            }
            SubtaskMigration<InputElement> migration = group.migration();
            if (!element.isRecord()) {
                migration.onOther(inputElement(element, -1));
            } else if (keySelector == null) {
                migration.onBroadcast(inputElement(element, -1));
            } else {
                migration.onRecord(inputElement(element, unitOf(element.<T>asRecord())));
            }
            return SubtaskMigration.Read.ELEMENT;
        }

        @Override
        public long bytesRead() {
            return bytesRead;
        }
    }

    private StreamInputElement inputElement(StreamElement element, int unit) {
        return new StreamInputElement(this, firstChannel + currentChannel, unit, element);
    }

    Object keyOf(StreamElement record) throws Exception {
        return keySelector.getKey(record.<T>asRecord().getValue());
    }

    private int unitOf(StreamRecord<T> record) throws Exception {
        Object key = keySelector.getKey(record.getValue());
        return KeyGroupRangeAssignment.assignToKeyGroup(key, group.keyGroups()) * group.subGroups()
                + SubGroups.of(key, group.subGroups());
    }

    // ------------------------------------------------------------------------
    //  Processing
    // ------------------------------------------------------------------------

    /** Hands an element to the operator, by the valve if it concerns event time. */
    void processFrom(int channel, StreamElement element) throws Exception {
        process(element, channel - firstChannel);
    }

    private void process(StreamElement element, int channel) throws Exception {
        if (element.isRecord()) {
            operator.emitRecord(element.asRecord());
        } else if (element.isWatermark()) {
            valve.inputWatermark(element.asWatermark(), channel, valveOutput);
        } else if (element.isLatencyMarker()) {
            operator.emitLatencyMarker(element.asLatencyMarker());
        } else if (!valve.inputStatus(element, channel, valveOutput)) {
            throw new IllegalStateException("unknown element " + element);
        }
    }

    /** From now on the operator gets nothing. It is not to get any record by key either. */
    void endForOperator() {
        operator = new Ended();
    }

    /** From now on the end of the input is a failure. */
    void mustNotEnd() {
        mayEnd = false;
    }

    void closeWatermark() {
        watermarkCap.close();
    }

    void raiseWatermarkCap(long cap) throws Exception {
        if (watermarkCap.raise(cap)) {
            emit(new Watermark(watermarkCap.emitted()));
        }
        if (idleHeldBack && watermarkCap.isOpen()) {
            idleHeldBack = false;
            Idleness.emit(operator, true);
        }
    }

    long watermark() {
        return watermarkCap.emitted();
    }

    /** What {@link #watermark} would be if nothing were held back. */
    long uncappedWatermark() {
        return watermarkCap.come();
    }

    private void emit(Watermark watermark) throws Exception {
        operator.emitWatermark(watermark);
        group.watermarkEmitted();
    }

    // ------------------------------------------------------------------------
    //  Forwarded records
    // ------------------------------------------------------------------------

    void serialize(StreamElement element, DataOutputSerializer out) throws IOException {
        serializer.serialize(element, out);
    }

    StreamInputElement deserialize(byte[] bytes, int channel, int unit) throws IOException {
        StreamElement element = serializer.deserialize(new DataInputDeserializer(bytes));
        return new StreamInputElement(this, channel, unit, element);
    }

    // ------------------------------------------------------------------------
    //  StreamTaskInput
    // ------------------------------------------------------------------------

    @Override
    public int getInputIndex() {
        return index;
    }

    @Override
    public CompletableFuture<?> getAvailableFuture() {
        if (group.isFull()) {
            return group.room();
        }
        if (current != null) {
            return AVAILABLE;
        }
        if (gate.isFinished() && group.holdsEnd()) {
            return group.endReleased();
        }
        if (!dataEnded && group.holdsEnd() && gate.endOfData() != null) {
            return CompletableFuture.anyOf(gate.getAvailableFuture(), group.endReleased());
        }
        return gate.getAvailableFuture();
    }

    /**
     * Of an unaligned checkpoint, which there are only while no rescale runs: the rest of a buffer
     * is all that has been read and not processed.
     */
    @Override
    protected CompletableFuture<Void> storeInFlight(ChannelStateWriter writer, long checkpointId)
            throws IOException {
        if (group.migration() != null) {
            throw new IOException(
                    "Checkpoint " + checkpointId + " is unaligned, but a rescale runs.");
        }
        List<InputChannelInfo> channels = gate.getChannelInfos();
        for (int i = 0; i < deserializers.length; i++) {
            writer.addInputData(
                    checkpointId,
                    channels.get(i),
                    ChannelStateWriter.SEQUENCE_NUMBER_UNKNOWN,
                    deserializers[i].getUnconsumedBuffer());
        }
        return gate.allBarriersReceived(checkpointId);
    }

    @Override
    public void close() throws IOException {
        for (RecordDeserializer<?> deserializer : deserializers) {
            Deserializers.release(deserializer);
        }
        gate.close();
    }

    /** What the valve lets through. */
    final class ValveOutput extends ElementOutput<T> {
        @Override
        public void emitWatermark(Watermark watermark) throws Exception {
            valveWatermark = watermark.getTimestamp();
            if (watermarkCap.admit(valveWatermark)) {
                long emitted = watermarkCap.emitted();
                emit(emitted == valveWatermark ? watermark : new Watermark(emitted));
            }
        }

        /**
         * Nobody waits for the watermark of an idle subtask. So it must not be idle while it is to
         * emit results of records that came before, be it that a watermark is held back or that
         * records wait for their units.
         */
        @Override
        protected void emitIdleness(boolean idle) throws Exception {
            if (idle && !watermarkCap.isOpen()) {
                idleHeldBack = true;
            } else if (idleHeldBack) {
                // back before anybody has heard of it
                idleHeldBack = false;
            } else {
                Idleness.emit(operator, idle);
            }
        }

        @Override
        public void emitRecord(StreamRecord<T> record) throws Exception {
            operator.emitRecord(record);
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) throws Exception {
            operator.emitLatencyMarker(marker);
        }

        @Override
        protected void emitOther(StreamElement element) throws Exception {
            OtherElements.emit(operator, element);
        }
    }

    /** In the place of the operator of a subtask that leaves. */
    final class Ended extends ElementOutput<T> {
        @Override
        public void emitRecord(StreamRecord<T> record) {
            if (keySelector != null) {
                throw new IllegalStateException(
                        "A record came for a subtask without key-groups, whose input has ended");
            }
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            // there is nothing for which time could matter
        }

        @Override
        protected void emitIdleness(boolean idle) {
            // it is idle for good
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            // nothing is processed
        }

        @Override
        protected void emitOther(StreamElement element) {
            // nothing is processed
        }
    }
}
