// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.core.exchange.HandoverAlignment;
import io.meces.flink.runtime.ProducersGate;
import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import io.meces.runtime.event.HandedOver;
import io.meces.runtime.event.TakenOver;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.event.TaskEvent;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.api.CheckpointBarrier;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannel;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannelAccess;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gate whose producers come and go. A channel without a producer counts for nothing: it gets each
 * checkpoint's barrier from the gate itself, and its end when all others have ended. Flink's
 * alignment spans all gates of a task, and would else wait for it. Results of units that move from
 * one producer to another are read in order.
 *
 * <p>The task thread owns it; {@link #update} is called by RPC threads, {@link #close} by whoever
 * cleans up after the task or cancels it.
 */
public final class ElasticInputGate extends ProducersGate {
    private static final Logger LOG = LoggerFactory.getLogger(ElasticInputGate.class);

    private final SingleInputGate gate;
    private final NettyShuffleEnvironment netty;
    private final TaskEventPublisher publisher;
    private final InputChannelMetrics metrics;

    /** Keeps what belongs to the task reachable as long as its gates are. */
    private final Object owner;

    private final BitSet inactive;
    private final BitSet ended;

    /** Barriers and ends for channels that bring none; read before anything else. */
    private final ArrayDeque<BufferOrEvent> made = new ArrayDeque<>();

    /** Channels that got a barrier from the gate, for which they have not been resumed yet. */
    private final BitSet notBlocked = new BitSet();

    /** By channel: its producer brings no barriers of checkpoints up to this one. */
    private final AtomicLongArray joinedAfter;

    private final HandoverAlignment<BufferOrEvent> handovers;

    /** Guards what {@link #handovers} keeps: buffers that each are to be recycled once. */
    private final Object keptLock = new Object();

    private boolean closed;

    private long lastBarrier = -1;
    private AbstractEvent lastBarrierEvent;
    private boolean lastBarrierHasPriority;
    private boolean finished;
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private ChannelStateWriter channelStateWriter;

    /**
     * @param inactive channels without a producer
     * @param finished channels whose producers had finished before this gate was made, and have
     *     nothing for it: they end at once
     */
    public ElasticInputGate(
            SingleInputGate gate,
            BitSet inactive,
            BitSet finished,
            NettyShuffleEnvironment netty,
            TaskEventPublisher publisher,
            InputChannelMetrics metrics,
            Object owner) {
        super(gate, inactive::get);
        this.gate = gate;
        this.inactive = inactive;
        this.ended = (BitSet) finished.clone();
        this.netty = netty;
        this.publisher = publisher;
        this.metrics = metrics;
        this.owner = owner;
        this.joinedAfter = new AtomicLongArray(gate.getNumberOfInputChannels());
        this.handovers = new HandoverAlignment<>(gate.getNumberOfInputChannels());
        for (int i = 0; i < gate.getNumberOfInputChannels(); i++) {
            if (inactive.get(i) || ended.get(i)) {
                makeIdle(i, gate.getChannel(i).getPartitionId());
            }
        }
        ended.stream().forEach(this::makeEnd);
        updateFinished();
    }

    /** Whether no producer is connected to the channel. */
    public boolean isInactive(int channel) {
        return inactive.get(channel);
    }

    /** Whether the channel has ended, also if its end has not been read. */
    public boolean hasEnded(int channel) {
        return ended.get(channel);
    }

    @Override
    public Optional<BufferOrEvent> pollNext() throws IOException, InterruptedException {
        while (true) {
            boolean priority = hasEventOfPriority();
            BufferOrEvent own = priority ? null : made.poll();
            if (own != null) {
                if (own.getEvent() instanceof CheckpointBarrier
                        && blocksProducer((CheckpointBarrier) own.getEvent())) {
                    // Not before it is handed out: the barrier that it was made for may first
                    // resume the channel from an older one of the gate.
                    notBlocked.set(own.getChannelInfo().getInputChannelIdx());
                }
                return Optional.of(own);
            }
            Optional<BufferOrEvent> next =
                    !priority && handovers.hasReadable() ? pollKept() : pollChannels();
            if (!next.isPresent()
                    || next.get().isBuffer()
                    || !onEvent(
                            next.get().getEvent(),
                            next.get().getChannelInfo().getInputChannelIdx())) {
                return next;
            }
        }
    }

    /**
     * Whether a barrier has overtaken what is in its channel, and must be read before anything that
     * the gate has made or kept.
     */
    private boolean hasEventOfPriority() {
        return (!made.isEmpty() && !made.peek().hasPriority() || handovers.hasReadable())
                && gate.getPriorityEventAvailableFuture().isDone();
    }

    /** A barrier of a job whose state is updated at least once is answered by no resumption. */
    private static boolean blocksProducer(CheckpointBarrier barrier) {
        return barrier.getCheckpointOptions().needsAlignment();
    }

    private Optional<BufferOrEvent> pollKept() {
        synchronized (keptLock) {
            return Optional.ofNullable(handovers.poll());
        }
    }

    /** The next that may be read now; what may not is kept. */
    private Optional<BufferOrEvent> pollChannels() throws IOException, InterruptedException {
        while (!finished) {
            Optional<BufferOrEvent> next = gate.pollNext();
            if (!next.isPresent()
                    || handovers.mayRead(next.get().getChannelInfo().getInputChannelIdx())) {
                return next;
            }
            keep(next.get());
        }
        return Optional.empty();
    }

    private void keep(BufferOrEvent element) {
        synchronized (keptLock) {
            if (!closed) {
                handovers.keep(element.getChannelInfo().getInputChannelIdx(), element);
                return;
            }
        }
        recycle(element);
        throw new CancelTaskException("Input gate is already closed.");
    }

    private static void recycle(BufferOrEvent element) {
        if (element.isBuffer()) {
            element.getBuffer().recycleBuffer();
        }
    }

    /** Returns whether the event is for the gate alone. */
    private boolean onEvent(AbstractEvent event, int channel) throws IOException {
        onEventOfFlink(event, channel);
        if (event instanceof HandedOver) {
            handovers.onHandedOver(channel, ((HandedOver) event).handover());
            return true;
        } else if (event instanceof TakenOver) {
            TakenOver takenOver = (TakenOver) event;
            handovers.onTakenOver(channel, takenOver.donor(), takenOver.handover());
            makeBarriersOfThoseWhoWait();
            return true;
        } else if (event instanceof CheckpointBarrier) {
            long id = ((CheckpointBarrier) event).getId();
            handovers.onBarrier(channel, id);
            if (id > lastBarrier) {
                lastBarrier = id;
                lastBarrierEvent = event;
                lastBarrierHasPriority =
                        ((CheckpointBarrier) event).getCheckpointOptions().isUnalignedCheckpoint();
                for (int i = 0; i < getNumberOfInputChannels(); i++) {
                    if (i != channel && (inactive.get(i) || id <= joinedAfter.get(i))) {
                        handovers.onBarrier(i, id);
                        makeBarrier(i);
                    }
                }
            }
            makeBarriersOfThoseWhoWait();
        } else if (event instanceof EndOfPartitionEvent) {
            ended.set(channel);
            updateFinished();
        } else if (event instanceof ChannelUp) {
            inactive.clear(channel);
            onProducerUp(channel);
        } else if (event instanceof ChannelDown) {
            inactive.set(channel);
            InputChannel gone = gate.getChannel(channel);
            makeIdle(channel, gone.getPartitionId());
            InputChannelAccess.release(gone);
            if (!handovers.hasBarrier(channel, lastBarrier)) {
                // others may wait for the one that it does not bring any more
                handovers.onBarrier(channel, lastBarrier);
                makeBarrier(channel);
                makeBarriersOfThoseWhoWait();
            }
            updateFinished();
        }
        return false;
    }

    private void makeBarriersOfThoseWhoWait() {
        handovers.withBarrierOfDonor(lastBarrier).stream().forEach(this::makeBarrier);
    }

    private void makeBarrier(int channel) {
        made.add(
                new BufferOrEvent(
                        lastBarrierEvent,
                        lastBarrierHasPriority,
                        channelInfo(channel),
                        true,
                        0,
                        false));
    }

    private void updateFinished() {
        finished =
                !ended.isEmpty()
                        && ended.cardinality() + inactive.cardinality()
                                == getNumberOfInputChannels();
        if (finished) {
            inactive.stream().forEach(this::makeEnd);
        }
    }

    /** A union of gates takes a gate for finished by the last end, and wants nothing behind it. */
    private void makeEnd(int channel) {
        made.add(
                new BufferOrEvent(
                        EndOfPartitionEvent.INSTANCE,
                        false,
                        channelInfo(channel),
                        false,
                        0,
                        false));
    }

    private InputChannelInfo channelInfo(int channel) {
        return new InputChannelInfo(getGateIndex(), channel);
    }

    private void makeIdle(int channel, ResultPartitionID partition) {
        channelLock.lock();
        try {
            InputChannel[] channels = new InputChannel[getNumberOfInputChannels()];
            for (int i = 0; i < channels.length; i++) {
                channels[i] = gate.getChannel(i);
            }
            channels[channel] =
                    InputChannelAccess.idle(
                            gate,
                            channel,
                            partition,
                            netty,
                            publisher,
                            metrics,
                            channelStateWriter,
                            this::onBufferSize);
            gate.setInputChannels(channels);
        } finally {
            channelLock.unlock();
        }
    }

    @Nullable
    private InputChannel channelOf(ResultPartitionID partition) {
        return InputChannelAccess.find(gate, partition.getPartitionId());
    }

    /** Whether a partition is one of those that this gate reads. */
    public boolean consumes(ResultPartitionID partition) {
        channelLock.lock();
        try {
            return channelOf(partition) != null;
        } finally {
            channelLock.unlock();
        }
    }

    /**
     * Connects a producer that has been deployed. An unknown channel turns into a real one with its
     * own partition id, so it must be that of this attempt of the producer.
     *
     * @param lastCheckpoint the producer takes part in checkpoints after this one. Barriers of it,
     *     if it was aborted, may come behind the first elements of the producer.
     */
    public boolean update(ResultPartitionID partition, long lastCheckpoint, Update update)
            throws IOException, InterruptedException {
        channelLock.lock();
        try {
            InputChannel channel = channelOf(partition);
            joinedAfter.set(channel.getChannelIndex(), lastCheckpoint);
            if (InputChannelAccess.isUnconnected(channel)
                    && !channel.getPartitionId().equals(partition)) {
                makeIdle(channel.getChannelIndex(), partition);
            }
            return update.run();
        } finally {
            channelLock.unlock();
        }
    }

    /** The channel of a partition, if no producer is connected to it; -1: one is. */
    public int unconnected(ResultPartitionID partition) {
        channelLock.lock();
        try {
            InputChannel channel = channelOf(partition);
            return InputChannelAccess.isUnconnected(channel) ? channel.getChannelIndex() : -1;
        } finally {
            channelLock.unlock();
        }
    }

    /** Flink's own update of a gate's partition. */
    @FunctionalInterface
    public interface Update {
        boolean run() throws IOException, InterruptedException;
    }

    @Override
    public CompletableFuture<?> getAvailableFuture() {
        return finished || !made.isEmpty() || handovers.hasReadable()
                ? AVAILABLE
                : gate.getAvailableFuture();
    }

    @Override
    public boolean isFinished() {
        return finished && made.isEmpty();
    }

    /**
     * Each barrier is answered by one resumption, in order. A producer that has sent none must not
     * be resumed: that is a failure, as it is not blocked. If it has sent a newer one, it is
     * blocked, and has to stay so until that one is answered.
     */
    @Override
    public void resumeConsumption(InputChannelInfo channel) throws IOException {
        int index = channel.getInputChannelIdx();
        if (notBlocked.get(index)) {
            notBlocked.clear(index);
        } else if (!inactive.get(index)) {
            gate.resumeConsumption(channel);
        }
    }

    @Override
    public Optional<BufferOrEvent> getNext() {
        throw new UnsupportedOperationException("An elastic gate is polled.");
    }

    @Override
    public CompletableFuture<?> getPriorityEventAvailableFuture() {
        return gate.getPriorityEventAvailableFuture();
    }

    @Override
    public int getGateIndex() {
        return gate.getGateIndex();
    }

    @Override
    public int getNumberOfInputChannels() {
        return gate.getNumberOfInputChannels();
    }

    @Override
    public void sendTaskEvent(TaskEvent event) throws IOException {
        gate.sendTaskEvent(event);
    }

    @Override
    public InputChannel getChannel(int channel) {
        return gate.getChannel(channel);
    }

    @Override
    public void setChannelStateWriter(ChannelStateWriter writer) {
        channelStateWriter = writer;
        gate.setChannelStateWriter(writer);
    }

    @Override
    public void setup() throws IOException {
        gate.setup();
    }

    @Override
    public void requestPartitions() throws IOException {
        gate.requestPartitions();
        for (int channel = 0; channel < gate.getNumberOfInputChannels(); channel++) {
            try {
                InputChannelAccess.check(gate.getChannel(channel));
            } catch (IOException e) {
                // the task fails of it as soon as it reads the channel, with Flink's own text
                LOG.debug("Channel {} cannot be opened.", channel, e);
                return;
            }
        }
        connected.complete(null);
    }

    /**
     * Done when the gate is connected to all producers that run. If it cannot be, the task fails.
     * Completed by the task thread.
     */
    public CompletableFuture<Void> whenConnected() {
        return connected;
    }

    @Override
    public CompletableFuture<Void> getStateConsumedFuture() {
        return gate.getStateConsumedFuture();
    }

    @Override
    public void finishReadRecoveredState() throws IOException {
        gate.finishReadRecoveredState();
    }

    @Override
    public void close() throws Exception {
        made.clear();
        synchronized (keptLock) {
            closed = true;
            handovers.takeAll().forEach(ElasticInputGate::recycle);
        }
        gate.close();
    }
}
