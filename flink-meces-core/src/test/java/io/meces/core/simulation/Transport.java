// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.exchange.TestEnvelope;
import io.meces.core.id.AttemptId;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A transition service at its worst: loses, repeats, delays and reorders. It outlives all attempts,
 * and knows who is there.
 */
final class Transport {

    private final Simulation world;
    private final Map<AttemptId, SimulatedElastic> inboxes = new HashMap<>();
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

    void send(AttemptId to, int receiver, TestEnvelope envelope) {
        SplittableRandom random = world.random();
        Scenario.Settings settings = world.scenario().settings();
        if (settings.lossPercent > 0 && random.nextInt(100) < settings.lossPercent) {
            lost++;
            return;
        }
        arriveLater(to, receiver, envelope);
        if (settings.repeatPercent > 0 && random.nextInt(100) < settings.repeatPercent) {
            arriveLater(to, receiver, envelope);
        }
    }

    private void arriveLater(AttemptId to, int receiver, TestEnvelope envelope) {
        SplittableRandom random = world.random();
        if (random.nextInt(16) == 0) {
            slowness[envelope.from()][receiver] = Wire.slowness(random);
        }
        long delay = Wire.delay(random, slowness[envelope.from()][receiver]);
        world.at(world.now() + delay, () -> arrive(to, receiver, envelope));
    }

    private void arrive(AttemptId to, int index, TestEnvelope envelope) {
        SimulatedElastic receiver = inboxes.get(to);
        if (receiver == null) {
            late++;
        } else {
            world.trace("%s gets %s", receiver, envelope);
            receiver.driver().onMessage(envelope);
        }
    }

    long lost() {
        return lost;
    }

    /** Messages for attempts that were gone. */
    long late() {
        return late;
    }
}
