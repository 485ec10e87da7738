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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Records at a receiver that wait for their unit, or for a channel to be passed at the donor. Per
 * unit, those that the donor forwarded come before those of the receiver's own input. Owned by the
 * thread of its {@link SubtaskMigration}.
 */
final class Parking<E> {

    private final Map<Integer, Bay<E>> bays = new HashMap<>();

    boolean isEmpty() {
        return bays.isEmpty();
    }

    boolean holds(int unit) {
        return bays.containsKey(unit);
    }

    List<Integer> units() {
        return new ArrayList<>(bays.keySet());
    }

    void park(int unit, E record) {
        bays.computeIfAbsent(unit, u -> new Bay<>()).own.add(record);
    }

    /** For a record that was forwarded before its unit, and before all others forwarded of it. */
    void parkAhead(int unit, E record) {
        bays.computeIfAbsent(unit, u -> new Bay<>()).ahead.add(record);
    }

    void parkForwarded(int unit, E record) {
        bays.computeIfAbsent(unit, u -> new Bay<>()).forwarded.add(record);
    }

    /** Hands out, in order, all forwarded records of the unit and the own ones that may go. */
    void unpark(int unit, Predicate<E> mayGo, Consumer<E> out) {
        Bay<E> bay = bays.get(unit);
        if (bay == null) {
            return;
        }
        bay.ahead.forEach(out);
        bay.ahead.clear();
        bay.forwarded.forEach(out);
        bay.forwarded.clear();
        for (Iterator<E> own = bay.own.iterator(); own.hasNext(); ) {
            E record = own.next();
            if (mayGo.test(record)) {
                own.remove();
                out.accept(record);
            }
        }
        if (bay.own.isEmpty()) {
            bays.remove(unit);
        }
    }

    private static final class Bay<E> {
        private final ArrayDeque<E> ahead = new ArrayDeque<>(0);
        private final ArrayDeque<E> forwarded = new ArrayDeque<>();
        private final ArrayDeque<E> own = new ArrayDeque<>();
    }
}
