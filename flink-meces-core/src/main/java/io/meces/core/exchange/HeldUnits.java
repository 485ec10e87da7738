// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Units that have been taken out of the state, and wait at their donor until the results of their
 * records are outside. Their receiver would otherwise write newer results first.
 *
 * <p>A drain brings outside what has been taken before it begins. So it counts for all units that
 * wait by then; those that come while it runs wait for the next one. At most one runs at a time.
 *
 * <p>Pure; owned by the task thread.
 *
 * @param <U> a unit and where it is to be sent
 */
public final class HeldUnits<U> {

    private final List<U> undrained = new ArrayList<>();
    private final ArrayDeque<U> drained = new ArrayDeque<>();
    private List<U> draining = Collections.emptyList();

    /** A unit waits for the next drain. */
    public void hold(U unit) {
        undrained.add(unit);
    }

    /** Whether a drain is to begin. */
    public boolean needsDrain() {
        return draining.isEmpty() && !undrained.isEmpty();
    }

    /** A drain begins. */
    public void beginDrain() {
        if (!needsDrain()) {
            throw new MigrationProtocolException("a drain begins for nobody, or in another one");
        }
        draining = new ArrayList<>(undrained);
        undrained.clear();
    }

    /** The drain has ended: what it was for may be sent. */
    public void endDrain() {
        if (draining.isEmpty()) {
            throw new MigrationProtocolException("a drain ends that has not begun");
        }
        drained.addAll(draining);
        draining = Collections.emptyList();
    }

    /** Whether a unit may be sent that meets a condition. */
    public boolean hasSendable(Predicate<U> condition) {
        return !drained.isEmpty() && drained.stream().anyMatch(condition);
    }

    /** Takes the first unit that may be sent and meets a condition; null if there is none. */
    @Nullable
    public U pollSendable(Predicate<U> condition) {
        for (Iterator<U> units = drained.iterator(); units.hasNext(); ) {
            U unit = units.next();
            if (condition.test(unit)) {
                units.remove();
                return unit;
            }
        }
        return null;
    }

    /** The unit that meets a condition, wherever it stands; null if there is none. */
    @Nullable
    public U find(Predicate<U> condition) {
        return all().stream().filter(condition).findFirst().orElse(null);
    }

    /** All that wait, in any order. */
    public List<U> all() {
        List<U> all = new ArrayList<>(drained);
        all.addAll(draining);
        all.addAll(undrained);
        return all;
    }
}
