// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * How many files level 0 of a state gets per second. Their number alone does not tell, as RocksDB
 * compacts them; but each memtable that is full, and each flush, makes a new version of the state.
 * So does each compaction, which counts for half a file, and twice each time when files are taken
 * over, which does not count: few of those come to level 0.
 *
 * <p>Owned by one thread, except where a method says otherwise.
 */
final class FlushPace {

    /** Over less time a pace is not known. */
    static final long LEAST_NANOS = 250_000_000;

    /** As RocksDB 5.17 has it, also each time when files are taken over. */
    private static final int VERSIONS = 2;

    /** A checkpoint, and a flush ahead of it, make so many at once, which is no pace. */
    private static final int AT_ONCE = 2;

    private final RocksDB db;

    /** Per state; a handle's hash code is never the same twice. */
    private final Map<ColumnFamilyHandle, Look> looks = new IdentityHashMap<>();

    private final Map<ColumnFamilyHandle, Long> filesPerSecond = new IdentityHashMap<>();

    /** How often files have been taken over, by the number of their state. */
    private final ConcurrentMap<Integer, LongAdder> takenOver = new ConcurrentHashMap<>();

    FlushPace(RocksDB db) {
        this.db = db;
    }

    /** Files of a state have been taken over at once. Any thread. */
    void onTakenOver(ColumnFamilyHandle family) {
        takenOver.computeIfAbsent(family.getID(), id -> new LongAdder()).increment();
    }

    /** What has come before the next look does not count. */
    void begin() {
        looks.clear();
        filesPerSecond.clear();
    }

    void look(Collection<ColumnFamilyHandle> families, long now) throws RocksDBException {
        for (ColumnFamilyHandle family : families) {
            Look last = looks.get(family);
            if (last == null || now - last.nanos >= LEAST_NANOS) {
                Look look = new Look(versions(family), now);
                looks.put(family, look);
                if (last != null) {
                    filesPerSecond.put(family, look.filesPerSecond(last));
                }
            }
        }
    }

    private long versions(ColumnFamilyHandle family) throws RocksDBException {
        LongAdder others = takenOver.get(family.getID());
        return db.getLongProperty(family, "rocksdb.current-super-version-number")
                - (others == null ? 0 : VERSIONS * others.sum());
    }

    /** Whether a state has been looked at twice, with some time between. */
    boolean isKnown(ColumnFamilyHandle family) {
        return filesPerSecond.containsKey(family);
    }

    /** Between the last two looks, at least; 0 if it is not known. */
    long filesPerSecond(ColumnFamilyHandle family) {
        return filesPerSecond.getOrDefault(family, 0L);
    }

    private static final class Look {

        private final long versions;
        private final long nanos;

        private Look(long versions, long nanos) {
            this.versions = versions;
            this.nanos = nanos;
        }

        private long filesPerSecond(Look last) {
            long files = Math.max(0, (versions - last.versions) / VERSIONS - AT_ONCE);
            return files * TimeUnit.SECONDS.toNanos(1) / (nanos - last.nanos);
        }
    }
}
