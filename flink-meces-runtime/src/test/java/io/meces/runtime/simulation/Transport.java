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

import io.meces.runtime.courier.Lane;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * A transition service at its worst: loses, repeats, delays and reorders. It outlives all attempts,
 * and knows who is there.
 */
final class Transport {

    /** What travels: a message in a lane, or an acknowledgement. */
    static final class Parcel {
        final UUID rescale;
        final ExecutionAttemptID sender;
        final ExecutionAttemptID receiver;
        final int from;
        final int to;
        final SimulatedMessage message;
        final Lane lane;
        final long sequence;
        final long[] acknowledged;

        Parcel(
                UUID rescale,
                ExecutionAttemptID sender,
                ExecutionAttemptID receiver,
                int from,
                int to,
                SimulatedMessage message,
                Lane lane,
                long sequence,
                long[] acknowledged) {
            this.rescale = rescale;
            this.sender = sender;
            this.receiver = receiver;
            this.from = from;
            this.to = to;
            this.message = message;
            this.lane = lane;
            this.sequence = sequence;
            this.acknowledged = acknowledged;
        }
    }

    private final Simulation world;
    private final Map<ExecutionAttemptID, SimulatedElastic> inboxes = new HashMap<>();
    private final int[][] slowness;
    private long lost;
    private long late;

    Transport(Simulation world, int capacity) {
        this.world = world;
        this.slowness = new int[capacity][capacity];
        for (int[] ofSender : slowness) {
            for (int i = 0; i < capacity; i++) {
                ofSender[i] = Wire.slowness(world.random());
            }
        }
    }

    void register(SimulatedElastic task) {
        inboxes.put(task.attempt, task);
    }

    void unregister(SimulatedElastic task) {
        inboxes.remove(task.attempt);
    }

    void send(Parcel parcel) {
        SplittableRandom random = world.random();
        Scenario.Settings settings = world.scenario().settings();
        if (settings.lossPercent > 0 && random.nextInt(100) < settings.lossPercent) {
            lost++;
            return;
        }
        arriveLater(parcel);
        if (settings.repeatPercent > 0 && random.nextInt(100) < settings.repeatPercent) {
            arriveLater(parcel);
        }
    }

    private void arriveLater(Parcel parcel) {
        SplittableRandom random = world.random();
        if (random.nextInt(16) == 0) {
            slowness[parcel.from][parcel.to] = Wire.slowness(random);
        }
        long delay = Wire.delay(random, slowness[parcel.from][parcel.to]);
        world.at(world.now() + delay, () -> arrive(parcel));
    }

    private void arrive(Parcel parcel) {
        SimulatedElastic receiver =
                world.variant() == Variant.NO_FENCING
                        ? world.master().elastic(parcel.to)
                        : inboxes.get(parcel.receiver);
        if (receiver == null) {
            late++;
        } else {
            receiver.post(() -> receiver.receive(parcel));
        }
    }

    long lost() {
        return lost;
    }

    /** Parcels for attempts that were gone. */
    long late() {
        return late;
    }
}
