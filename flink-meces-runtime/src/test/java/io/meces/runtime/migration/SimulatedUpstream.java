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

package io.meces.runtime.migration;

import java.util.BitSet;
import java.util.Random;

/** An upstream subtask: emits records and watermarks by its own routing table. */
final class SimulatedUpstream {

    final int index;
    private final Simulation world;
    private final int[] owners;
    private final BitSet connected = new BitSet();
    private int recordsLeft;
    private final boolean hasEnd;
    private final int watermarkInterval;
    private final boolean broadcasts;
    private long watermark = Long.MIN_VALUE;
    private boolean finished;

    SimulatedUpstream(
            int index,
            Simulation world,
            int[] owners,
            int subtasks,
            int records,
            boolean hasEnd,
            int watermarkInterval,
            boolean broadcasts) {
        this.index = index;
        this.world = world;
        this.owners = owners.clone();
        this.recordsLeft = records;
        this.hasEnd = hasEnd;
        this.watermarkInterval = watermarkInterval;
        this.broadcasts = broadcasts;
        connected.set(0, subtasks);
    }

    boolean canEmit() {
        return !finished && (recordsLeft > 0 || hasEnd);
    }

    boolean isFinished() {
        return finished;
    }

    long watermark() {
        return watermark;
    }

    /** Emits a record, a watermark or the end; nothing if the channel is full. */
    void emit(Random random, int[] keys) {
        if (recordsLeft == 0) {
            watermark = Long.MAX_VALUE;
            broadcast(Long.MAX_VALUE);
            finished = true;
            connected.stream()
                    .forEach(s -> world.channel(s, index).add(SimulatedElement.end(index)));
            world.trace("upstream %d ends", index);
        } else if (random.nextInt(watermarkInterval) == 0) {
            watermark = (watermark == Long.MIN_VALUE ? 0 : watermark) + random.nextInt(12);
            world.trace("upstream %d is at watermark %d", index, watermark);
            broadcast(watermark);
        } else if (broadcasts) {
            broadcastRecord(random);
        } else {
            emitRecord(random, keys[random.nextInt(keys.length)]);
        }
    }

    private void emitRecord(Random random, int key) {
        int keyGroup = world.unitOfKey(key) / world.subGroups();
        int subtask = owners[keyGroup];
        if (world.channel(subtask, index).size() >= world.channelCapacity()) {
            return;
        }
        recordsLeft--;
        long time = nextTime(random);
        SimulatedElement record = world.ledger().emit(index, key, time);
        world.trace("upstream %d emits %s to subtask %d", index, record, subtask);
        world.channel(subtask, index).add(record);
    }

    private void broadcastRecord(Random random) {
        if (connected.stream()
                .anyMatch(s -> world.channel(s, index).size() >= world.channelCapacity())) {
            return;
        }
        recordsLeft--;
        SimulatedElement record = world.ledger().broadcast(index, nextTime(random));
        world.trace("upstream %d emits %s", index, record);
        connected.stream().forEach(s -> world.channel(s, index).add(record));
    }

    private long nextTime(Random random) {
        return (watermark == Long.MIN_VALUE ? 0 : watermark) + 1 + random.nextInt(25);
    }

    private void broadcast(long time) {
        connected.stream()
                .forEach(s -> world.channel(s, index).add(SimulatedElement.watermark(index, time)));
    }

    void connect(int from, int to) {
        connected.set(from, to);
        if (watermark > Long.MIN_VALUE) {
            broadcast(watermark);
        }
    }

    void disconnect(int subtask) {
        connected.clear(subtask);
    }

    void switchRouting(StepMoves moves) {
        if (world.variant() == Variant.MARKER_TOO_EARLY) {
            mark(moves);
            later(12, () -> route(moves));
        } else if (world.variant() == Variant.MARKER_TOO_LATE) {
            route(moves);
            later(12, () -> mark(moves));
        } else {
            route(moves);
            mark(moves);
        }
    }

    private void later(int turns, Runnable action) {
        world.commandUpstream(
                index,
                "later",
                () -> {
                    if (turns > 0) {
                        later(turns - 1, action);
                    } else {
                        action.run();
                    }
                },
                () -> {});
    }

    private void route(StepMoves moves) {
        for (int i = 0; i < moves.size(); i++) {
            owners[moves.keyGroup(i)] = moves.to(i);
        }
    }

    private void mark(StepMoves moves) {
        connected.stream()
                .forEach(
                        s ->
                                world.channel(s, index)
                                        .add(SimulatedElement.marker(index, moves.step())));
    }
}
