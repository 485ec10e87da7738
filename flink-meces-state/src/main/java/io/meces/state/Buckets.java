// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.List;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * The mechanics of a hash table with chained entries, in the order of their hash codes: a bucket
 * holds a range of codes, and the buckets stand in the order of their ranges. {@link UnitHash} says
 * what for.
 *
 * <p>When it grows, each bucket is divided in two, some of them with each entry that is inserted
 * (as in Flink's map, to avoid a pause). It never shrinks, but starts anew when {@link #dropRange}
 * has emptied it.
 *
 * <p>A snapshot keeps the buckets as they are by {@link HeadsSnapshot}s, and what is in them by
 * {@link #changeable}.
 *
 * <p>Owned by the task thread. Another thread may look for an entry at the same time; it may miss
 * one that is just being moved.
 *
 * @param <E> type of entry
 */
abstract class Buckets<E extends Buckets.Node<E>> {

    /** Behind the last position. */
    static final long END = 1L << 32;

    private static final int MIN_CAPACITY = 16;
    private static final int MAX_CAPACITY = 1 << 30;

    /** So many buckets are divided, at least, with an entry inserted into a table that grows. */
    private static final int MIN_STEP = 16;

    /** And so many at most, which takes some ten microseconds. */
    static final int MAX_STEP = 256;

    private final int scale;
    private E[] heads;
    @Nullable private E[] divided;
    private int division;
    private int size;

    /** The newest one, behind it older ones; some of them may have been released. */
    @Nullable private HeadsSnapshot<E> snapshots;

    /**
     * An empty table.
     *
     * @param scale 1, or to spread the hash codes of one of so many sub-groups over all buckets
     * @param entries how many to make room for
     */
    Buckets(int scale, int entries) {
        this.scale = scale;
        int capacity = MIN_CAPACITY;
        while (capacity < MAX_CAPACITY && threshold(capacity) < entries) {
            capacity <<= 1;
        }
        this.heads = newHeads(capacity);
    }

    /**
     * Returns an entry that may be changed and stands for the given one, which is to be replaced by
     * it: the same one, or a copy with the same successor if a snapshot needs the entry as it is.
     */
    abstract E changeable(E entry);

    final int size() {
        return size;
    }

    /** The bucket in which an entry with that hash code is, if it is here. */
    @Nullable
    final E first(int hash) {
        return atPosition(position(hash));
    }

    /** The bucket at a position: the hash code itself if the scale is 1. */
    @Nullable
    final E atPosition(int position) {
        E[] old = divided;
        if (old != null) {
            int index = index(position, old);
            if (index >= division) {
                return old[index];
            }
        }
        E[] current = heads;
        return current[index(position, current)];
    }

    /** Adds an entry that is not here yet. */
    final void insert(E entry) {
        if (divided != null) {
            divide();
        } else if (size > threshold(heads.length) && heads.length < MAX_CAPACITY) {
            divided = heads;
            division = 0;
            heads = newHeads(heads.length << 1);
        }
        entry.next = first(entry.hash);
        setFirst(entry.hash, entry);
        size++;
    }

    /** Removes an entry that is here. */
    final void unlink(E entry) {
        E head = first(entry.hash);
        if (head == entry) {
            setFirst(entry.hash, entry.next);
        } else {
            E previous = head;
            while (previous.next != entry) {
                previous = previous.next;
            }
            detach(previous).next = entry.next;
        }
        size--;
    }

    /**
     * Makes an entry that is here changeable, and with it those before it in its bucket: the links
     * that lead to it.
     *
     * @return what stands for it now
     */
    final E detach(E entry) {
        E previous = null;
        E current = first(entry.hash);
        while (true) {
            E copy = changeable(current);
            if (copy != current) {
                if (previous == null) {
                    setFirst(entry.hash, copy);
                } else {
                    previous.next = copy;
                }
            }
            if (current == entry) {
                return copy;
            }
            previous = copy;
            current = copy.next;
        }
    }

    // ------------------------------------------------------------------------
    //  buckets by position: hash codes that are spread over 0 to 2^32
    // ------------------------------------------------------------------------

    /** The first position behind that bucket. */
    final long endOfChain(long position) {
        E[] table = tableOf((int) position);
        int bits = bits(table);
        return ((position >>> bits) + 1) << bits;
    }

    /** Visits the entries in a range of positions. */
    final void forEach(long from, long to, Consumer<? super E> action) {
        for (long position = from; position < to; position = endOfChain(position)) {
            for (E entry = atPosition((int) position); entry != null; entry = entry.next) {
                if (isWithin(entry, from, to)) {
                    action.accept(entry);
                }
            }
        }
    }

    /** Whether there is no entry in a range of positions. */
    final boolean isEmpty(long from, long to) {
        for (long position = from; position < to; position = endOfChain(position)) {
            for (E entry = atPosition((int) position); entry != null; entry = entry.next) {
                if (isWithin(entry, from, to)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Removes the entries in a range of positions. */
    final void dropRange(long from, long to) {
        for (long position = from; position < to; position = endOfChain(position)) {
            E[] table = tableOf((int) position);
            int index = index((int) position, table);
            E kept = null;
            for (E entry = table[index]; entry != null; ) {
                E next = entry.next;
                if (isWithin(entry, from, to)) {
                    size--;
                } else {
                    E copy = changeable(entry);
                    copy.next = kept;
                    kept = copy;
                }
                entry = next;
            }
            setFirst(table, index, kept);
        }
        if (size == 0) {
            divided = null;
            if (heads.length > MIN_CAPACITY) {
                heads = newHeads(MIN_CAPACITY);
            }
        }
    }

    /** Adds the arrays that hold the first entries of the buckets, with nulls between them. */
    final void addArraysTo(List<E[]> arrays) {
        arrays.add(heads);
        if (divided != null) {
            arrays.add(divided);
        }
    }

    /** Adds the buckets as they are now to a snapshot. */
    final void keepTo(BucketsSnapshot<E> target) {
        if (size == 0) {
            return;
        }
        if (divided == null) {
            target.add(keep(heads, 0, heads.length));
            return;
        }
        if (division > 0) {
            target.add(keep(heads, 0, 2 * division));
        }
        target.add(keep(divided, division, divided.length));
    }

    private HeadsSnapshot<E> keep(E[] table, int from, int to) {
        snapshots = new HeadsSnapshot<>(table, from, to, HeadsSnapshot.running(snapshots));
        return snapshots;
    }

    // ------------------------------------------------------------------------

    private void setFirst(int hash, @Nullable E entry) {
        int position = position(hash);
        E[] table = tableOf(position);
        setFirst(table, index(position, table), entry);
    }

    /** The only place where an array is written to. */
    private void setFirst(E[] table, int index, @Nullable E entry) {
        if (snapshots != null) {
            snapshots = HeadsSnapshot.running(snapshots);
            for (HeadsSnapshot<E> s = snapshots; s != null; s = s.older()) {
                s.beforeChange(table, index);
            }
        }
        table[index] = entry;
    }

    /**
     * Divides the next buckets, a quarter of them within bounds.
     *
     * <p>Only insertions divide: an iterator would miss what a lookup moved. So they have to come
     * to an end soon, lest a table that has all its keys then stay divided in part for good, with
     * longer buckets than it has room for, which makes lookups more than a tenth slower.
     */
    private void divide() {
        E[] old = divided;
        E[] current = heads;
        int step = Math.min(Math.max(MIN_STEP, old.length / 4), MAX_STEP);
        int end = Math.min(division + step, old.length);
        for (int i = division; i < end; i++) {
            E first = old[i];
            setFirst(old, i, null);
            for (E entry = first; entry != null; ) {
                E next = entry.next;
                E moved = changeable(entry);
                int index = index(position(moved.hash), current);
                moved.next = current[index];
                setFirst(current, index, moved);
                entry = next;
            }
        }
        division = end;
        if (end == old.length) {
            divided = null;
        }
    }

    private E[] tableOf(int position) {
        E[] old = divided;
        return old != null && index(position, old) >= division ? old : heads;
    }

    private int position(int hash) {
        return hash * scale;
    }

    private boolean isWithin(E entry, long from, long to) {
        long position = position(entry.hash) & 0xFFFFFFFFL;
        return position >= from && position < to;
    }

    private static <E> int index(int position, E[] table) {
        return position >>> bits(table);
    }

    /** How many of the bits of a position do not matter for the choice of the bucket. */
    private static <E> int bits(E[] table) {
        return Integer.numberOfLeadingZeros(table.length) + 1;
    }

    private static int threshold(int capacity) {
        return capacity - (capacity >> 2);
    }

    @SuppressWarnings("unchecked")
    private E[] newHeads(int capacity) {
        return (E[]) new Node<?>[capacity];
    }

    /** An entry. */
    abstract static class Node<E extends Node<E>> {

        final int hash;
        @Nullable E next;

        Node(int hash) {
            this.hash = hash;
        }
    }
}
