// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import java.util.HashMap;
import java.util.Map;

/** The slots that a job could have at once. An immutable value. */
public final class SlotSupply {

    private final boolean known;
    private final int free;
    private final Map<Object, Integer> others;

    private SlotSupply(boolean known, int free, Map<Object, Integer> others) {
        this.known = known;
        this.free = free;
        this.others = new HashMap<>(others);
    }

    /**
     * @param free slots that nobody has, or that the job keeps and does not use
     * @param others how many slots the vertices without a {@link Demand} need, by slot sharing
     *     group; where there are none it may be left out
     */
    public static SlotSupply of(int free, Map<Object, Integer> others) {
        return new SlotSupply(true, free, others);
    }

    /** Nobody can tell at the moment. */
    public static SlotSupply unknown(Map<Object, Integer> others) {
        return new SlotSupply(false, 0, others);
    }

    boolean isKnown() {
        return known;
    }

    int free() {
        return free;
    }

    int neededByOthers(Object group) {
        return others.getOrDefault(group, 0);
    }
}
