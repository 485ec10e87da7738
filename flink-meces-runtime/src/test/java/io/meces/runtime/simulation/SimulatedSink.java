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

package io.meces.runtime.simulation;

import io.meces.runtime.event.TaskCommand;
import io.meces.runtime.event.TaskReport;
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
    private final BitSet inactive = new BitSet();
    private final BitSet idle = new BitSet();
    private final BitSet ended = new BitSet();
    private final long[] watermarks;
    private final long[] joinedAfter;
    private long watermark = Long.MIN_VALUE;

    @SuppressWarnings("unchecked")
    SimulatedSink(int index, Execution job, int connected) {
        super("sink", index, job);
        int capacity = job.elastic.length;
        sink = new TransactionalSink(world.consumed(), variant);
        channels = new ArrayDeque[capacity];
        watermarks = new long[capacity];
        joinedAfter = new long[capacity];
        Arrays.fill(joinedAfter, -1);
        Arrays.fill(watermarks, Long.MIN_VALUE);
        alignment = new Alignment(capacity);
        inactive.set(connected, capacity);
        for (int k = 0; k < capacity; k++) {
            int channel = k;
            act(() -> canRead(channel), () -> read(channel));
        }
        act(this::canFinish, this::finish);
    }

    /** The channel of a producer that has been made known. */
    void attach(int producer, ArrayDeque<SimulatedElement> channel, long lastCheckpoint) {
        channels[producer] = channel;
        joinedAfter[producer] = lastCheckpoint;
    }

    @Override
    boolean isBlocked() {
        return false;
    }

    private boolean canRead(int channel) {
        return channels[channel] != null
                && !channels[channel].isEmpty()
                && !alignment.isBlocked(channel);
    }

    private void read(int channel) {
        SimulatedElement element = channels[channel].poll();
        world.trace("%s reads %s of channel %d", name, element, channel);
        switch (element.kind) {
            case OUTPUT:
                Ledger.check(
                        element.time > watermark,
                        "%s is late at %s, whose watermark is %d",
                        element,
                        name,
                        watermark);
                sink.add(element);
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
                if (alignment.onBarrier(element.time, channel, without(element.time))) {
                    takeCheckpoint(element.time);
                }
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
