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
