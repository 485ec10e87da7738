// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.exchange.TaskThread;
import io.meces.core.plan.VertexLayout;
import io.meces.core.protocol.MigrationInputs;
import io.meces.core.protocol.SubtaskMigration;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.DeferredStore;
import io.meces.runtime.shuffle.ElasticInputGate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;

/**
 * The inputs of one task, whose channels are numbered through: those of the first input's gates
 * come first. Owned by the task thread.
 */
public final class InputGroup implements MigrationInputs<InputElement> {

    private final List<ElasticNetworkInput<?>> inputs = new ArrayList<>();
    private final List<InputChannelInfo> channels = new ArrayList<>();
    private final BitSet open = new BitSet();
    private final BitSet broadcast = new BitSet();
    @Nullable private final VertexLayout vertex;
    private final Listener listener;

    @Nullable private SubtaskMigration<InputElement> migration;
    @Nullable private DeferredStore<?> keys;
    private CompletableFuture<Void> endReleased = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);

    InputGroup(@Nullable VertexLayout vertex, Listener listener) {
        this.vertex = vertex;
        this.listener = listener;
    }

    /**
     * Adds an input; returns the number of its first channel.
     *
     * @param keyed whether its records are partitioned by key; those of an elastic vertex that are
     *     not are broadcast
     */
    int add(ElasticNetworkInput<?> input, List<InputChannelInfo> channelsOfInput, boolean keyed) {
        int first = channels.size();
        inputs.add(input);
        channels.addAll(channelsOfInput);
        open.set(first, channels.size());
        broadcast.set(first, channels.size(), !keyed);
        return first;
    }

    /** Tells the inputs which of their channels have no producer, or one that has finished. */
    void markInactive(List<ElasticInputGate> gates) throws Exception {
        for (ElasticInputGate gate : gates) {
            for (int i = 0; i < gate.getNumberOfInputChannels(); i++) {
                int channel = channels.indexOf(new InputChannelInfo(gate.getGateIndex(), i));
                if (gate.isInactive(i)) {
                    open.clear(channel);
                    owner(channel).markInactive(channel);
                } else if (gate.hasEnded(i)) {
                    owner(channel).markFinished(channel);
                }
            }
        }
    }

    private ElasticNetworkInput<?> owner(int channel) {
        ElasticNetworkInput<?> owner = null;
        for (ElasticNetworkInput<?> input : inputs) {
            if (input.firstChannel() <= channel) {
                owner = input;
            }
        }
        return owner;
    }

    List<ElasticNetworkInput<?>> inputs() {
        return Collections.unmodifiableList(inputs);
    }

    @Override
    public BitSet openChannels() {
        return (BitSet) open.clone();
    }

    @Override
    public BitSet broadcastChannels() {
        return (BitSet) broadcast.clone();
    }

    int keyGroups() {
        return vertex.keyGroups();
    }

    int subGroups() {
        return vertex.subGroups();
    }

    /** The rescale in which this task takes part; null if there is none. */
    @Nullable
    SubtaskMigration<InputElement> migration() {
        return migration;
    }

    @Override
    public void attach(@Nullable SubtaskMigration<InputElement> newMigration) {
        migration = newMigration;
    }

    /** Whether nothing is to be read for now; mails bring what it waits for. */
    boolean isFull() {
        return migration != null && migration.isFull();
    }

    /** Completed by {@link #readOn} when there is room again. */
    CompletableFuture<Void> room() {
        if (room.isDone()) {
            room = new CompletableFuture<>();
        }
        return room;
    }

    @Override
    public void readOn() {
        if (!isFull()) {
            room.complete(null);
        }
    }

    @Override
    public void holdEnd() {
        if (endReleased.isDone()) {
            endReleased = new CompletableFuture<>();
        }
    }

    @Override
    public void releaseEnd() {
        endReleased.complete(null);
    }

    boolean holdsEnd() {
        return !endReleased.isDone();
    }

    CompletableFuture<Void> endReleased() {
        return endReleased;
    }

    @Override
    public long watermark() {
        return lowest(ElasticNetworkInput::watermark);
    }

    @Override
    public long uncappedWatermark() {
        return lowest(ElasticNetworkInput::uncappedWatermark);
    }

    private long lowest(ToLongFunction<ElasticNetworkInput<?>> watermark) {
        long lowest = Long.MAX_VALUE;
        for (ElasticNetworkInput<?> input : inputs) {
            lowest = Math.min(lowest, watermark.applyAsLong(input));
        }
        return lowest;
    }

    @Override
    public void closeWatermark() {
        inputs.forEach(ElasticNetworkInput::closeWatermark);
    }

    @Override
    public void raiseWatermark(long watermark) throws Exception {
        for (ElasticNetworkInput<?> input : inputs) {
            input.raiseWatermarkCap(watermark);
        }
    }

    @Override
    public InputElement action(TaskThread.Mail action) {
        return new InputAction(action);
    }

    @Override
    public void process(InputElement element) throws Exception {
        element.process();
    }

    @Override
    public byte[] serialize(InputElement record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(128);
        ((StreamInputElement) record).serialize(out);
        return out.getCopyOfBuffer();
    }

    /** Where keys are asked for: what knows them. */
    void keysAreOf(@Nullable DeferredStore<?> store) {
        keys = store;
    }

    @Override
    public DeferredKey keyOf(InputElement record) throws Exception {
        return keys.keyOf(((StreamInputElement) record).key());
    }

    @Override
    public int inputOf(InputElement record) {
        return ((StreamInputElement) record).inputIndex();
    }

    @Override
    public InputElement deserialize(byte[] record, int input, int channel, int unit)
            throws IOException {
        for (ElasticNetworkInput<?> candidate : inputs) {
            if (candidate.getInputIndex() == input) {
                return candidate.deserialize(record, channel, unit);
            }
        }
        throw new IOException("no input " + input);
    }

    void watermarkEmitted() throws Exception {
        if (migration != null) {
            migration.onWatermark(watermark());
        }
    }

    /** A channel without a producer ends, too, when all others of its gate have. */
    void channelEnded(int channel) throws Exception {
        boolean wasOpen = open.get(channel);
        open.clear(channel);
        if (wasOpen && migration != null) {
            migration.onChannelEnded(channel);
        }
    }

    void channelUp(int channel, InputChannelInfo info) {
        open.set(channel);
        listener.channelChanged(info, true);
    }

    void channelDown(int channel, InputChannelInfo info) {
        open.clear(channel);
        listener.channelChanged(info, false);
    }

    void afterProgress() throws Exception {
        listener.afterProgress();
    }

    /** Who must know what the inputs see. */
    interface Listener {
        void channelChanged(InputChannelInfo channel, boolean up);

        /** The inputs have read or processed something while a rescale runs. */
        void afterProgress() throws Exception;
    }
}
