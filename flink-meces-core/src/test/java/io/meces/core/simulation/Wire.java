// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.SplittableRandom;

/** A way on which everything arrives, in order, some time later. */
final class Wire {

    private static final int[] SLOWNESS = {1, 4, 8, 12, 16};

    private final Simulation world;
    private int slowness;
    private long lastArrival;

    Wire(Simulation world) {
        this.world = world;
        this.slowness = slowness(world.random());
    }

    static int slowness(SplittableRandom random) {
        return SLOWNESS[random.nextInt(SLOWNESS.length)];
    }

    /** Nanoseconds; up to 65 ms on the slowest ways. */
    static long delay(SplittableRandom random, int slowness) {
        return 1_000L << random.nextInt(slowness + 1);
    }

    void send(Simulation.Event arrival) {
        SplittableRandom random = world.random();
        if (random.nextInt(16) == 0) {
            slowness = slowness(random);
        }
        lastArrival = Math.max(lastArrival, world.now() + delay(random, slowness));
        world.at(lastArrival, arrival);
    }
}
