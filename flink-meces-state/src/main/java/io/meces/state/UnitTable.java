// SPDX-License-Identifier: Apache-2.0
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
 * <p>All units share one table, in which each has its range of buckets. That is as fast and as
 * small as a table that knows nothing of units, as long as they are about equally large. A unit
 * gets buckets of its own if it is not: when one of its buckets is found to be much too long (a key
 * with very many namespaces), or when it arrives as a large one while its neighbours are missing.
 *
 * <p>Owned by the task thread. Another thread may look for an entry at the same time.
 *
 * @param <E> type of entry
 */
abstract class UnitTable<E extends Buckets.Node<E>> extends Buckets<E> {

    /** Buckets that are longer do not come about by chance: with a good hash, one in 10^15. */
    private static final int LONG_CHAIN = 16;

    /**
     * An arriving unit with more entries keeps its own buckets, which then cost about 1 byte each.
     */
    private static final int LARGE_UNIT = 64;

    private final UnitHash unitHash;
    @Nullable private Buckets<E>[] own;
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
            for (Buckets<E> buckets : own) {
                entries += buckets == null ? 0 : buckets.size();
            }
        }
        return entries;
    }

    /** Where the entries of a unit are. */
    final Buckets<E> buckets(int subGroup) {
        if (own != null) {
            Buckets<E> buckets = own[subGroup];
            if (buckets != null) {
                return buckets;
            }
        }
        return this;
    }

    /** The bucket in which an entry of the unit with that hash code is, if it is here. */
    @Nullable
    final E first(int subGroup, int hash) {
        return own == null ? atPosition(hash) : buckets(subGroup).first(hash);
    }

    /**
     * Adds an entry that is not here yet.
     *
     * @param bucketLength how many entries were looked at to find that out
     */
    final void add(int subGroup, E entry, int bucketLength) {
        modifications++;
        Buckets<E> buckets = buckets(subGroup);
        if (bucketLength > LONG_CHAIN && buckets == this) {
            buckets = separate(subGroup);
        }
        buckets.insert(entry);
    }

    /** Removes an entry that is here. */
    final void remove(int subGroup, E entry) {
        modifications++;
        buckets(subGroup).unlink(entry);
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
        Buckets<E> buckets = buckets(subGroup);
        return buckets == this
                ? isEmpty(unitHash.from(subGroup), unitHash.to(subGroup))
                : buckets.size() == 0;
    }

    /** How many entries the unit has; exact only if it has buckets of its own. Constant time. */
    final int estimate(int subGroup) {
        Buckets<E> buckets = buckets(subGroup);
        int units = buckets == this ? unitHash.subGroups() : 1;
        return (int) (((long) buckets.size() + units - 1) / units);
    }

    /** Visits the entries of a unit, which must not change meanwhile. */
    final void forEach(int subGroup, Consumer<? super E> action) {
        Buckets<E> buckets = buckets(subGroup);
        if (buckets == this) {
            forEach(unitHash.from(subGroup), unitHash.to(subGroup), action);
        } else {
            buckets.forEach(0, END, action);
        }
    }

    /** Removes the entries of a unit. */
    final void drop(int subGroup) {
        modifications++;
        if (buckets(subGroup) == this) {
            dropRange(unitHash.from(subGroup), unitHash.to(subGroup));
        } else {
            own[subGroup] = null;
        }
    }

    /** Buckets for a unit that is being read, not yet part of this table. */
    final Buckets<E> newUnit(int entries) {
        return new OwnBuckets<>(this, entries);
    }

    /** Adds a unit of which nothing is here. */
    final void addUnit(int subGroup, Buckets<E> unit) {
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

    private Buckets<E> separate(int subGroup) {
        List<E> entries = new ArrayList<>();
        forEach(subGroup, entries::add);
        Buckets<E> buckets = newUnit(entries.size());
        drop(subGroup);
        for (E entry : entries) {
            buckets.insert(changeable(entry));
        }
        setOwn(subGroup, buckets);
        return buckets;
    }

    @SuppressWarnings("unchecked")
    private void setOwn(int subGroup, Buckets<E> buckets) {
        if (own == null) {
            own = (Buckets<E>[]) new Buckets<?>[unitHash.subGroups()];
        }
        own[subGroup] = buckets;
    }

    // ------------------------------------------------------------------------
    //  iteration
    // ------------------------------------------------------------------------

    /** All entries as they are now, for a snapshot, whose release is the caller's. */
    final BucketsSnapshot<E> keepBuckets() {
        BucketsSnapshot<E> kept = new BucketsSnapshot<>(entries());
        keepTo(kept);
        if (own != null) {
            for (Buckets<E> buckets : own) {
                if (buckets != null) {
                    buckets.keepTo(kept);
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
     * Goes from bucket to bucket. Entries may be changed, added and removed meanwhile: those that
     * are there all the time are visited, perhaps twice.
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

        /** The first entry of the next bucket, or null if it is empty. */
        @Nullable
        E next() {
            Buckets<E> buckets = current();
            E first = buckets.atPosition((int) position);
            position = buckets.endOfChain(position);
            return first;
        }

        @Nullable
        private Buckets<E> current() {
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

        Entries() {
            addArraysTo(arrays);
            if (own != null) {
                for (Buckets<E> buckets : own) {
                    if (buckets != null) {
                        buckets.addArraysTo(arrays);
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

    /** The buckets of a unit that has them for itself. */
    private static final class OwnBuckets<E extends Node<E>> extends Buckets<E> {

        private final UnitTable<E> table;

        OwnBuckets(UnitTable<E> table, int entries) {
            super(table.unitHash.subGroups(), entries);
            this.table = table;
        }

        @Override
        E changeable(E entry) {
            return table.changeable(entry);
        }
    }
}
