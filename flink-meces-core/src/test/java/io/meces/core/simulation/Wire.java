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
