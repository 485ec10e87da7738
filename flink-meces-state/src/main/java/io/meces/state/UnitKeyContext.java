// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.KeyContext;
import java.util.Arrays;
import java.util.BitSet;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * Flink's key context plus the sub-group of the current key and its place in it.
 *
 * <p>Computing them when the key is set, instead of at each access to a state, takes them off the
 * path to the entry: the processor mixes while it divides for the key-group.
 *
 * <p>It also knows which units the backend has. Each key-group has a table here, whoever owns it,
 * and what stands in one that another subtask owns is in no checkpoint. So the current key has no
 * table if its unit is not here. That costs one look when the key is set, and nothing at an access.
 *
 * <p>Task thread.
 *
 * @param <K> type of key
 */
public final class UnitKeyContext<K> extends KeyContext<K> {

    /** Instead of the index of a key-group. */
    private static final int NOT_OWNED = -1;

    private final UnitHash unitHash;
    private long place;

    /** Whether a key has been made the current one since one was left. */
    private boolean hasKey;

    /** How often a key of each key-group has been made the current one. */
    private final long[] selections;

    /** By unit: whether it is here; null: all of the range are, always. */
    @Nullable private final boolean[] owned;

    /**
     * A context without a current key.
     *
     * @param subGroups number of sub-groups per key-group, 1..{@link SubGroups#MAX}
     * @param ownedKeyGroups those that are here at first; null: all of the range are, always
     */
    public UnitKeyContext(
            KeyGroupRange keyGroupRange,
            int numberOfKeyGroups,
            int subGroups,
            @Nullable BitSet ownedKeyGroups) {
        super(keyGroupRange, numberOfKeyGroups);
        if (!SubGroups.isValid(subGroups)) {
            throw new IllegalArgumentException(
                    "Sub-groups must be in the range 1.." + SubGroups.MAX + ", not " + subGroups);
        }
        this.unitHash = new UnitHash(subGroups);
        this.selections = new long[numberOfKeyGroups];
        if (ownedKeyGroups == null) {
            this.owned = null;
        } else {
            this.owned = new boolean[Math.multiplyExact(numberOfKeyGroups, subGroups)];
            ownedKeyGroups.stream()
                    .forEach(g -> Arrays.fill(owned, g * subGroups, (g + 1) * subGroups, true));
        }
    }

    @Override
    public void setCurrentKeyGroupIndex(int keyGroup) {
        super.setCurrentKeyGroupIndex(owns(keyGroup, subGroup()) ? keyGroup : NOT_OWNED);
        selections[keyGroup]++;
    }

    /** See {@link UnitStore#currentUnit}. */
    int unit() {
        int keyGroup = getCurrentKeyGroupIndex();
        return hasKey && keyGroup != NOT_OWNED ? keyGroup * unitHash.subGroups() + subGroup() : -1;
    }

    long selections(int keyGroup) {
        return selections[keyGroup];
    }

    @Override
    public void setCurrentKey(@Nonnull K key) {
        super.setCurrentKey(key);
        hasKey = true;
        // Flink refuses a null key, with a message, right after this call.
        place = key == null ? 0 : unitHash.place(key.hashCode());
    }

    /**
     * Whether a key is processed: the current key stays in place when its record or timer has been
     * processed, and the next one may be the same object.
     */
    public boolean hasKey() {
        return hasKey;
    }

    /**
     * No key is processed from now on, until one is made the current one. Who uses state meanwhile
     * does so for the key that is left, as in Flink.
     */
    public void leaveKey() {
        hasKey = false;
    }

    /** Number of sub-groups per key-group, 1..{@link SubGroups#MAX}. */
    int subGroups() {
        return unitHash.subGroups();
    }

    UnitHash unitHash() {
        return unitHash;
    }

    /** {@link UnitHash#place} of the current key. */
    long place() {
        return place;
    }

    /** Sub-group of the current key. */
    int subGroup() {
        return (int) (place >>> 32);
    }

    // ------------------------------------------------------------------------
    //  which units are here
    // ------------------------------------------------------------------------

    public boolean owns(int keyGroup, int subGroup) {
        return owned == null || owned[keyGroup * unitHash.subGroups() + subGroup];
    }

    /** How many units are here. Takes time in proportion to all there are. */
    public int owned() {
        int units = 0;
        for (int keyGroup : getKeyGroupRange()) {
            for (int subGroup = 0; subGroup < subGroups(); subGroup++) {
                units += owns(keyGroup, subGroup) ? 1 : 0;
            }
        }
        return units;
    }

    /** A unit comes. */
    void own(int keyGroup, int subGroup) {
        if (owned != null) {
            owned[keyGroup * unitHash.subGroups() + subGroup] = true;
        }
    }

    /** A unit has left. */
    void disown(int keyGroup, int subGroup) {
        if (owned != null) {
            owned[keyGroup * unitHash.subGroups() + subGroup] = false;
            if (getCurrentKeyGroupIndex() == keyGroup && subGroup() == subGroup) {
                // who uses state between two records does so for the key of the last one
                super.setCurrentKeyGroupIndex(NOT_OWNED);
            }
        }
    }

    /**
     * Checks the current key.
     *
     * @throws IllegalStateException if its unit is not here
     */
    public void checkOwned() {
        if (getCurrentKeyGroupIndex() == NOT_OWNED) {
            throw notOwned(getCurrentKey());
        }
    }

    IllegalStateException notOwned(Object key) {
        return new IllegalStateException(
                "State or a timer is used for a key in key-group "
                        + KeyGroupRangeAssignment.assignToKeyGroup(key, getNumberOfKeyGroups())
                        + ", which is not at this subtask. Use them only for the key of the record or"
                        + " timer that is being processed. "
                        + unstableHash(key));
    }

    /**
     * Checks a key that stands in a key-group of a checkpoint, of an elastic task.
     *
     * @throws IllegalStateException if it belongs elsewhere
     */
    void checkRestored(K key, int keyHash, int keyGroup) {
        if (owned != null
                && KeyGroupRangeAssignment.computeKeyGroupForKeyHash(
                                keyHash, getNumberOfKeyGroups())
                        != keyGroup) {
            throw new IllegalStateException(
                    "State of a key that was in key-group "
                            + keyGroup
                            + " cannot be restored, as the key is in another one by now. "
                            + unstableHash(key));
        }
    }

    /** What is to be done if a key is in another unit than it was, or than its sender says. */
    static String unstableHash(Object key) {
        return "The hashCode() of "
                + key.getClass().getName()
                + " must be the same in all processes. That of an enum or an array is not, nor that"
                + " of a class that contains one and calls its hashCode(). Key by the name() of"
                + " the enum, or use it and Arrays.hashCode() in hashCode().";
    }
}
