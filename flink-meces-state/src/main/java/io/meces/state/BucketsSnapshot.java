// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.annotation.Nullable;

/**
 * The entries of a {@link UnitTable} as they were when a snapshot began. Begun by the task thread,
 * then owned by the thread that writes or discards the snapshot.
 *
 * @param <E> type of entry
 */
final class BucketsSnapshot<E extends Buckets.Node<E>> {

    private final List<HeadsSnapshot<E>> arrays = new ArrayList<>();
    private final int size;

    /**
     * @param size how many entries there are
     */
    BucketsSnapshot(int size) {
        this.size = size;
    }

    void add(HeadsSnapshot<E> heads) {
        arrays.add(heads);
    }

    /** How many entries there are. */
    int size() {
        return size;
    }

    /** All entries. To be called once. */
    Entries entries() {
        return new Entries();
    }

    void release() {
        arrays.forEach(HeadsSnapshot::release);
        arrays.clear();
    }

    /** Goes from entry to entry. */
    final class Entries {

        private final Iterator<HeadsSnapshot<E>> remaining = arrays.iterator();
        private final E[] block = HeadsSnapshot.newBlock();
        private int index = HeadsSnapshot.BLOCK;
        @Nullable private HeadsSnapshot<E> heads;
        private int nextBlock;
        @Nullable private E entry;

        /** The next entry, or null if there is none. */
        @Nullable
        E next() {
            E next = entry;
            while (next == null) {
                if (index == HeadsSnapshot.BLOCK && !readBlock()) {
                    return null;
                }
                next = block[index++];
            }
            entry = next.next;
            return next;
        }

        private boolean readBlock() {
            while (heads == null || nextBlock == heads.endBlock()) {
                if (!remaining.hasNext()) {
                    return false;
                }
                heads = remaining.next();
                nextBlock = heads.firstBlock();
            }
            heads.read(nextBlock++, block);
            index = 0;
            return true;
        }
    }
}
