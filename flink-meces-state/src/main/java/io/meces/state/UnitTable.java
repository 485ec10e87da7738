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

package io.meces.state;

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * The entries of a key-group, ordered by unit.
 *
 * <p>All units share one table, in which each has its range of chains. That is as fast and as small
 * as a table that knows nothing of units, as long as they are about equally large. A unit gets
 * chains of its own if it is not: when one of its chains is found to be much too long (a key with
 * very many namespaces), or when it arrives as a large one while its neighbours are missing.
 *
 * <p>Owned by the task thread. Another thread may look for an entry at the same time.
 *
 * @param <E> type of entry
 */
abstract class UnitTable<E extends Chains.Node<E>> extends Chains<E> {

    /** Chains that are longer do not come about by chance: with a good hash, one in 10^15. */
    private static final int LONG_CHAIN = 16;

    /**
     * An arriving unit with more entries keeps its own chains, which then cost about 1 byte each.
     */
    private static final int LARGE_UNIT = 64;

    private final UnitHash unitHash;
    @Nullable private Chains<E>[] own;
    private int modifications;

    UnitTable(UnitHash unitHash) {
        super(1, 0);
        this.unitHash = unitHash;
    }

    final UnitHash unitHash() {
        return unitHash;
    }

    /** Number of all entries. */
    final int entries() {
        int entries = size();
        if (own != null) {
            for (Chains<E> chains : own) {
                entries += chains == null ? 0 : chains.size();
            }
        }
        return entries;
    }

    /** Where the entries of a unit are. */
    final Chains<E> chains(int subGroup) {
        if (own != null) {
            Chains<E> chains = own[subGroup];
            if (chains != null) {
                return chains;
            }
        }
        return this;
    }

    /** The chain in which an entry of the unit with that hash code is, if it is here. */
    @Nullable
    final E first(int subGroup, int hash) {
        return own == null ? atPosition(hash) : chains(subGroup).first(hash);
    }

    /**
     * Adds an entry that is not here yet.
     *
     * @param chainLength how many entries were looked at to find that out
     */
    final void add(int subGroup, E entry, int chainLength) {
        modifications++;
        Chains<E> chains = chains(subGroup);
        if (chainLength > LONG_CHAIN && chains == this) {
            chains = separate(subGroup);
        }
        chains.insert(entry);
    }

    /** Removes an entry that is here. */
    final void remove(int subGroup, E entry) {
        modifications++;
        chains(subGroup).unlink(entry);
    }

    final void clear() {
        modifications++;
        own = null;
        dropRange(0, END);
    }

    // ------------------------------------------------------------------------
    //  units
    // ------------------------------------------------------------------------

    final boolean isEmpty(int subGroup) {
        Chains<E> chains = chains(subGroup);
        return chains == this
                ? isEmpty(unitHash.from(subGroup), unitHash.to(subGroup))
                : chains.size() == 0;
    }

    /** How many entries the unit has; exact only if it has chains of its own. Constant time. */
    final int estimate(int subGroup) {
        Chains<E> chains = chains(subGroup);
        int units = chains == this ? unitHash.subGroups() : 1;
        return (int) (((long) chains.size() + units - 1) / units);
    }

    /** Visits the entries of a unit, which must not change meanwhile. */
    final void forEach(int subGroup, Consumer<? super E> action) {
        Chains<E> chains = chains(subGroup);
        if (chains == this) {
            forEach(unitHash.from(subGroup), unitHash.to(subGroup), action);
        } else {
            chains.forEach(0, END, action);
        }
    }

    /** Removes the entries of a unit. */
    final void drop(int subGroup) {
        modifications++;
        if (chains(subGroup) == this) {
            dropRange(unitHash.from(subGroup), unitHash.to(subGroup));
        } else {
            own[subGroup] = null;
        }
    }

    /** Chains for a unit that is being read, not yet part of this table. */
    final Chains<E> newUnit(int entries) {
        return new OwnChains<>(this, entries);
    }

    /** Adds a unit of which nothing is here. */
    final void addUnit(int subGroup, Chains<E> unit) {
        modifications++;
        if (unit.size() > LARGE_UNIT) {
            setOwn(subGroup, unit);
        } else {
            List<E> entries = new ArrayList<>(unit.size());
            unit.forEach(0, END, entries::add);
            for (E entry : entries) {
                insert(entry);
            }
        }
    }

    private Chains<E> separate(int subGroup) {
        List<E> entries = new ArrayList<>();
        forEach(subGroup, entries::add);
        Chains<E> chains = newUnit(entries.size());
        drop(subGroup);
        for (E entry : entries) {
            chains.insert(changeable(entry));
        }
        setOwn(subGroup, chains);
        return chains;
    }

    @SuppressWarnings("unchecked")
    private void setOwn(int subGroup, Chains<E> chains) {
        if (own == null) {
            own = (Chains<E>[]) new Chains<?>[unitHash.subGroups()];
        }
        own[subGroup] = chains;
    }

    // ------------------------------------------------------------------------
    //  iteration
    // ------------------------------------------------------------------------

    /** All entries as they are now, for a snapshot, whose release is the caller's. */
    final ChainsSnapshot<E> keepChains() {
        ChainsSnapshot<E> kept = new ChainsSnapshot<>(entries());
        keepTo(kept);
        if (own != null) {
            for (Chains<E> chains : own) {
                if (chains != null) {
                    chains.keepTo(kept);
                }
            }
        }
        return kept;
    }

    /** All entries; fails if any is added or removed meanwhile. */
    final Iterator<E> iterator() {
        return new Entries();
    }

    /**
     * Goes from chain to chain. Entries may be changed, added and removed meanwhile: those that are
     * there all the time are visited, perhaps twice.
     */
    final class Cursor {

        private int subGroup = -1;
        private long position;

        boolean hasNext() {
            while (position == END || current() == null) {
                if (own == null || subGroup + 1 == own.length) {
                    return false;
                }
                subGroup++;
                position = 0;
            }
            return true;
        }

        /** The first entry of the next chain, or null if it is empty. */
        @Nullable
        E next() {
            Chains<E> chains = current();
            E first = chains.atPosition((int) position);
            position = chains.endOfChain(position);
            return first;
        }

        @Nullable
        private Chains<E> current() {
            if (subGroup < 0) {
                return UnitTable.this;
            }
            return own == null ? null : own[subGroup];
        }
    }

    private final class Entries implements Iterator<E> {

        private final List<E[]> arrays = new ArrayList<>();
        private final int expectedModifications = modifications;
        private int array;
        private int index;
        @Nullable private E next;

        private Entries() {
            addArraysTo(arrays);
            if (own != null) {
                for (Chains<E> chains : own) {
                    if (chains != null) {
                        chains.addArraysTo(arrays);
                    }
                }
            }
        }

        @Override
        public boolean hasNext() {
            while (next == null && array < arrays.size()) {
                E[] current = arrays.get(array);
                while (next == null && index < current.length) {
                    next = current[index++];
                }
                if (next == null) {
                    array++;
                    index = 0;
                }
            }
            return next != null;
        }

        @Override
        public E next() {
            if (modifications != expectedModifications) {
                throw new ConcurrentModificationException();
            }
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            E entry = next;
            next = entry.next;
            return entry;
        }
    }

    /** The chains of a unit that has them for itself. */
    private static final class OwnChains<E extends Node<E>> extends Chains<E> {

        private final UnitTable<E> table;

        private OwnChains(UnitTable<E> table, int entries) {
            super(table.unitHash.subGroups(), entries);
            this.table = table;
        }

        @Override
        E changeable(E entry) {
            return table.changeable(entry);
        }
    }
}
