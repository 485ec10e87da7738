// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.annotation.Nullable;

/**
 * The first entries of a range of buckets, as they were when a snapshot began. None is copied then,
 * so that the task thread does not stop for it and the collector has little to move. Later they are
 * copied by blocks, by whoever comes first: the task thread before it changes a block, or the
 * writer of the snapshot, who reaches most blocks before a record does.
 *
 * <p>It needs no lock. A block is taken once, by a compare-and-set; the task thread changes the
 * array only behind it. So if the writer has taken the block, what it had read before is what was
 * there when the snapshot began; if it has not, it throws that away and reads the copy.
 *
 * <p>{@link #older}, {@link #running} and {@link #beforeChange} are for the task thread, the rest
 * for the writer.
 *
 * @param <E> type of entry
 */
final class HeadsSnapshot<E extends Buckets.Node<E>> {

    /** So many buckets are copied at once. */
    static final int BLOCK = 64;

    private final int from;
    private final int to;

    /** Null: released. */
    @Nullable private volatile Heads<E> heads;

    @Nullable private HeadsSnapshot<E> older;

    /**
     * Begins.
     *
     * @param table has the first entries of the buckets, at the indices {@code from} (inclusive) to
     *     {@code to} (exclusive); what is elsewhere does not matter
     * @param older of the same buckets; null if there is none
     */
    HeadsSnapshot(E[] table, int from, int to, @Nullable HeadsSnapshot<E> older) {
        this.from = from;
        this.to = to;
        this.older = older;
        this.heads = new Heads<>(table, new AtomicReferenceArray<>(blockOf(to - 1) + 1));
    }

    /** The next one that began before this. */
    @Nullable
    HeadsSnapshot<E> older() {
        return older;
    }

    /** The snapshots without those that have been released; null if there are no others. */
    @Nullable
    static <E extends Buckets.Node<E>> HeadsSnapshot<E> running(
            @Nullable HeadsSnapshot<E> snapshots) {
        HeadsSnapshot<E> first = snapshots;
        while (first != null && first.heads == null) {
            first = first.older;
        }
        for (HeadsSnapshot<E> s = first; s != null; s = s.older) {
            while (s.older != null && s.older.heads == null) {
                s.older = s.older.older;
            }
        }
        return first;
    }

    /** To be called before an array is written to: takes the block if the snapshot needs it. */
    void beforeChange(E[] table, int index) {
        Heads<E> current = heads;
        if (current == null || current.table != table || index < from || index >= to) {
            return;
        }
        int block = blockOf(index);
        if (current.taken.get(block) == null) {
            current.taken.compareAndSet(block, null, copy(table, block));
        }
    }

    /** The block in which the first bucket is. */
    int firstBlock() {
        return blockOf(from);
    }

    /** The block behind that in which the last bucket is. */
    int endBlock() {
        return blockOf(to - 1) + 1;
    }

    /**
     * Takes a block and reads it. To be called once for each block.
     *
     * @param target gets the first entries of its buckets, and nulls
     */
    void read(int block, E[] target) {
        Heads<E> current = heads;
        if (current == null) {
            throw new IllegalStateException("The snapshot was already released");
        }
        copyTo(target, current.table, block, 0);
        if (!current.taken.compareAndSet(block, null, target)) {
            copyTo(target, current.taken.get(block), block, start(block));
        }
    }

    /** Nothing is copied any more, and no copy kept. */
    void release() {
        heads = null;
    }

    /** An array of nodes, whatever the type of entry. */
    @SuppressWarnings("unchecked")
    static <E extends Buckets.Node<E>> E[] newBlock() {
        return (E[]) new Buckets.Node<?>[BLOCK];
    }

    private E[] copy(E[] table, int block) {
        E[] copy = newBlock();
        copyTo(copy, table, block, 0);
        return copy;
    }

    /** Copies what the range has of a block, whose source begins at the offset. */
    private void copyTo(E[] target, E[] source, int block, int offset) {
        int start = start(block);
        int first = Math.max(from - start, 0);
        int end = Math.min(to - start, BLOCK);
        Arrays.fill(target, 0, first, null);
        System.arraycopy(source, start + first - offset, target, first, end - first);
        Arrays.fill(target, end, BLOCK, null);
    }

    private static int blockOf(int index) {
        return index / BLOCK;
    }

    private static int start(int block) {
        return block * BLOCK;
    }

    /** An array, and the copies of those of its blocks that have been taken. */
    private static final class Heads<E extends Buckets.Node<E>> {
        final E[] table;
        final AtomicReferenceArray<E[]> taken;

        Heads(E[] table, AtomicReferenceArray<E[]> taken) {
            this.table = table;
            this.taken = taken;
        }
    }
}
