// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.IdentityHashMap;
import java.util.Map;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * How many files level 0 of a state has, and how many it may have while a rescale runs. With too
 * many RocksDB slows down writes, those of records too. A job may have told it to do so early.
 *
 * <p>Owned by one thread.
 */
final class FilesInLevel0 {

    /** Unless a job always has more. By default RocksDB slows down writes at 20. */
    static final int MOST = 16;

    /** Writes and flushes that have begun may make some more. */
    private static final int MARGIN = 4;

    private final RocksDB db;

    /** Per state; a handle's hash code is never the same twice. */
    private final Map<ColumnFamilyHandle, Integer> most = new IdentityHashMap<>();

    FilesInLevel0(RocksDB db) {
        this.db = db;
    }

    int count(ColumnFamilyHandle family) throws RocksDBException {
        return Integer.parseInt(db.getProperty(family, "rocksdb.num-files-at-level0"));
    }

    /**
     * How many of them there may be: as soon as there are so many, nothing is added in the
     * background.
     */
    int most(ColumnFamilyHandle family) throws RocksDBException {
        Integer known = most.get(family);
        if (known == null) {
            try (ColumnFamilyOptions options = family.getDescriptor().getOptions()) {
                known =
                        most(
                                options.level0FileNumCompactionTrigger(),
                                options.level0SlowdownWritesTrigger());
            }
            most.put(family, known);
        }
        return known;
    }

    /**
     * Stays below what a job has writes slowed down at, by a margin where that leaves more than
     * what it always has.
     *
     * @param compactsAt with as many files RocksDB compacts them
     * @param slowsDownAt with as many it slows down writes; no fewer
     */
    static int most(int compactsAt, int slowsDownAt) {
        int most = Math.max(compactsAt, Math.min(MOST, slowsDownAt - MARGIN));
        return Math.max(1, Math.min(most, slowsDownAt - 1));
    }
}
