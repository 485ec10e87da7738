// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;

/**
 * Key-groups that have left, or have come with a checkpoint but belong elsewhere, and whose entries
 * are still in the database, or are being deleted.
 *
 * <p>Nobody can read them, as no key of theirs is here. So they are {@link RowDeletions deleted} in
 * the background, and waited for where they must be gone: before a checkpoint, which must not have
 * them, before Flink writes all rows of a state anew, and before a key-group comes back. What has
 * come with a checkpoint may be much; so checkpoints, and rescales, begin only when it is gone
 * ({@link #areBeingDeleted}).
 *
 * <p>Owned by the task thread.
 */
final class StaleKeyGroups {

    private final BitSet stale = new BitSet();

    /** What has been deleted and not compacted; some of it may have come back since. */
    private final BitSet deleted = new BitSet();

    private final RowDeletions rows;
    private final Compactions compactions;

    StaleKeyGroups(RowDeletions rows, Compactions compactions) {
        this.rows = rows;
        this.compactions = compactions;
    }

    /**
     * Adds one that has left.
     *
     * @return done by any thread when all of its entries have been deleted
     */
    CompletableFuture<Void> addLeft(int keyGroup) {
        CompletableFuture<Void> deleted = rows.beginLeft(keyGroup);
        stale.set(keyGroup);
        return deleted;
    }

    /**
     * Adds a run of key-groups that have come with a checkpoint and belong elsewhere.
     *
     * @param to the one behind the last
     */
    void addRestored(int from, int to) {
        rows.beginRestored(from, to);
        stale.set(from, to);
    }

    /** Whether there are any, deleted or not, that nobody has waited for. */
    boolean exist() {
        return !stale.isEmpty();
    }

    /** Whether some are still being deleted. */
    boolean areBeingDeleted() {
        return rows.areRunning();
    }

    /** Whether some that have been deleted are being compacted, or will be. */
    boolean haveToBeCompacted() {
        return !deleted.isEmpty() || compactions.pending() > 0;
    }

    /** Has one of them deleted, if it is one. */
    void delete(int keyGroup) throws IOException {
        if (stale.get(keyGroup)) {
            delete(keyGroup, keyGroup + 1);
        }
    }

    /** Has all of them deleted. */
    void deleteAll() throws IOException {
        int from = stale.nextSetBit(0);
        while (from >= 0) {
            int to = stale.nextClearBit(from);
            delete(from, to);
            from = stale.nextSetBit(to);
        }
    }

    private void delete(int from, int to) throws IOException {
        rows.await(from, to);
        stale.clear(from, to);
        deleted.set(from, to);
    }

    /**
     * Has what has been deleted compacted, in the background. Better not while a checkpoint is
     * taken: that flushes memtables in the task thread, and a compaction would delay it.
     */
    void compact() {
        int from = deleted.nextSetBit(0);
        while (from >= 0) {
            int to = deleted.nextClearBit(from);
            compactions.request(from, to);
            from = deleted.nextSetBit(to);
        }
        deleted.clear();
    }
}
