// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.function.BooleanSupplier;

/** Something that a task can do, now or later: the schedule decides. */
final class Actor {

    final BooleanSupplier possible;
    final Simulation.Event event;

    /** How likely it is to be next; 0: not for the time being. */
    int eagerness;

    /** Whether it hardly ever gets its turn. */
    boolean crawls;

    Actor(BooleanSupplier possible, Simulation.Event event) {
        this.possible = possible;
        this.event = event;
    }
}
