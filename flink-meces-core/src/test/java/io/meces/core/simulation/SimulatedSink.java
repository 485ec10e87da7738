// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.HandoverAlignment;
import io.meces.core.id.AttemptId;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * A consumer of the elastic vertex: channels come and go, barriers are aligned, and what is read is
 * committed when its checkpoint is complete.
 */
final class SimulatedSink extends SimulatedTask {

    private final TransactionalSink sink;

    /** By producer; null: not connected. */
    private final ArrayDeque<SimulatedElement>[] channels;

    private final Alignment alignment;
    private final HandoverAlignment<SimulatedElement> handovers;
    private final BitSet barrierKept = new BitSet();
    private long lastBarrier = -1;
    private final BitSet inactive = new BitSet();
    private final BitSet idle = new BitSet();
    private final BitSet ended = new BitSet();
    private final long[] watermarks;
    private final long[] joinedAfter;
    private long watermark = Long.MIN_VALUE;

    @SuppressWarnings("unchecked")
    SimulatedSink(int index, Execution job, int connected) {
        super("sink", index, AttemptId.random(), job);
        int capacity = job.elastic.length;
        sink = new TransactionalSink(world.consumed());
        channels = new ArrayDeque[capacity];
        watermarks = new long[capacity];
        joinedAfter = new long[capacity];
        Arrays.fill(joinedAfter, -1);
        Arrays.fill(watermarks, Long.MIN_VALUE);
        alignment = new Alignment(capacity);
        handovers = new HandoverAlignment<>(capacity);
        inactive.set(connected, capacity);
        for (int k = 0; k < capacity; k++) {
            int channel = k;
            act(() -> canRead(channel), () -> read(channel)).crawls =
                    world.scenario().settings().slowConsumers;
        }
        act(() -> handovers.hasReadable() && !isBlocked(), () -> handle(handovers.poll()));
        act(this::canFinish, this::finish);
    }

    /** The channel of a producer that has been made known. */
    void attach(int producer, ArrayDeque<SimulatedElement> channel, long lastCheckpoint) {
        channels[producer] = channel;
        joinedAfter[producer] = lastCheckpoint;
    }

    /** Whether it has read results that it must not handle yet. */
    boolean waitsForHandover() {
        for (int k = 0; k < channels.length; k++) {
            if (handovers.kept(k) > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean isBlocked() {
        return false;
    }

    private boolean canRead(int channel) {
        return channels[channel] != null
                && !channels[channel].isEmpty()
                && !alignment.isBlocked(channel)
                && !barrierKept.get(channel)
                && handovers.kept(channel) < world.scenario().settings().channelCapacity;
    }

    private void read(int channel) {
        SimulatedElement element = channels[channel].poll();
        if (handovers.mayRead(channel)) {
            handle(element);
        } else {
            world.trace("%s keeps %s of channel %d", name, element, channel);
            handovers.keep(channel, element);
            // a producer sends nothing after a barrier until that is answered
            barrierKept.set(channel, element.kind == SimulatedElement.Kind.BARRIER);
        }
    }

    private void handle(SimulatedElement element) {
        int channel = element.channel;
        world.trace("%s reads %s of channel %d", name, element, channel);
        switch (element.kind) {
            case OUTPUT:
                Ledger.check(
                        element.time > watermark || world.oracle().isLate(element.index / 2),
                        "%s is late at %s, whose watermark is %d",
                        element,
                        name,
                        watermark);
                job.ledger.onResultRead(name, element);
                sink.add(element);
                break;
            case HANDED_OVER:
                handovers.onHandedOver(channel, element.handover());
                break;
            case TAKEN_OVER:
                handovers.onTakenOver(channel, element.key, element.handover());
                alignChannelsThatWait();
                break;
            case WATERMARK:
                watermarks[channel] = Math.max(watermarks[channel], element.time);
                raise();
                break;
            case UP:
                inactive.clear(channel);
                idle.clear(channel);
                ended.clear(channel);
                watermarks[channel] = watermark;
                report(new TaskReport.ChannelChanged(0, channel, true));
                break;
            case IDLE:
                idle.set(channel);
                raise();
                break;
            case DOWN:
                inactive.set(channel);
                channels[channel] = null;
                raise();
                report(new TaskReport.ChannelChanged(0, channel, false));
                break;
            case BARRIER:
                barrierKept.clear(channel);
                lastBarrier = Math.max(lastBarrier, element.time);
                onBarrier(element.time, channel);
                alignChannelsThatWait();
                break;
            case CANCEL:
                if (alignment.onCancel(element.time)) {
                    decline();
                }
                break;
            default:
                ended.set(channel);
                if (alignment.onEnd()) {
                    decline();
                }
        }
    }

    private void onBarrier(long checkpoint, int channel) {
        handovers.onBarrier(channel, checkpoint);
        without(checkpoint).stream().forEach(c -> handovers.onBarrier(c, checkpoint));
        if (alignment.onBarrier(checkpoint, channel, without(checkpoint))) {
            takeCheckpoint(checkpoint);
        }
    }

    /** As the gate does: a barrier for a channel that waits for one that has brought it. */
    private void alignChannelsThatWait() {
        handovers.withBarrierOfDonor(lastBarrier).stream()
                .forEach(channel -> onBarrier(lastBarrier, channel));
    }

    /** The channels that never bring the barrier of a checkpoint. */
    private BitSet without(long checkpoint) {
        BitSet channelsWithout = (BitSet) inactive.clone();
        for (int k = 0; k < joinedAfter.length; k++) {
            if (checkpoint <= joinedAfter[k]) {
                channelsWithout.set(k);
            }
        }
        return channelsWithout;
    }

    private void raise() {
        long lowest = Long.MAX_VALUE;
        boolean any = false;
        for (int k = 0; k < watermarks.length; k++) {
            if (!inactive.get(k) && !idle.get(k)) {
                any = true;
                lowest = Math.min(lowest, watermarks[k]);
            }
        }
        if (any) {
            watermark = Math.max(watermark, lowest);
        }
    }

    private void takeCheckpoint(long id) {
        if (isAborted(id)) {
            return;
        }
        Snapshot part = new Snapshot(id, 0);
        sink.snapshot(id, part);
        tell(
                () ->
                        master.coordinator()
                                .acknowledge(
                                        id,
                                        this,
                                        snapshot ->
                                                snapshot.transactions.addAll(part.transactions)));
    }

    private void decline() {
        long id = alignment.current();
        tell(() -> master.coordinator().decline(id));
    }

    @Override
    void onCheckpointComplete(long checkpoint) {
        sink.onComplete(checkpoint);
    }

    @Override
    void onCommand(TaskCommand command) {
        throw new IllegalArgumentException("unknown command " + command);
    }

    private boolean canFinish() {
        return !ended.isEmpty() && ended.cardinality() + inactive.cardinality() == channels.length;
    }

    List<Transaction> uncommitted() {
        return sink.uncommitted();
    }

    long watermark() {
        return watermark;
    }
}
