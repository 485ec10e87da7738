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

package io.meces.state.rocksdb;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has RocksDB compact later while a rescale runs, and until a checkpoint has been taken after it.
 * Tombstones of what leaves, and what is flushed ahead of checkpoints, are small files in level 0.
 * RocksDB soon takes them for a reason to write hundreds of megabytes again, which the next
 * checkpoint stores once more; all of it beside records.
 *
 * <p>RocksDB writes its options to a file when it is told, and all writes to the database wait for
 * the disk then, once per state. So it is told only of a state where a compaction is near: of a
 * large state in any case, of others one by one, and only where the disk is quick.
 *
 * <p>Owned by the task thread. RocksDB is told by a helper, by one at a time.
 */
final class PostponedCompactions {

    /**
     * With so many fewer files in level 0 of a state than there {@link FilesInLevel0#most may be}
     * nothing of it is postponed for a while: a get looks through all of them, and the background
     * of a rescale waits for room when there are a few more.
     */
    private static final int LEFT = 2;

    /** Where that is fewer, nothing is postponed: it would begin and end with every few files. */
    private static final int LEAST = 8;

    /**
     * With more its compactions are not postponed, or not again. By default RocksDB compacts so
     * many.
     */
    static final int FEW_FILES = 4;

    /**
     * From so many on a compaction is near: a checkpoint, and a flush ahead of it, make two more at
     * once.
     */
    static final int NEAR_FILES = FEW_FILES - 2;

    /** From so many bytes in files on a compaction costs more than a slow disk does. */
    static final long LARGE_BYTES = 64 << 20;

    /**
     * What takes less is compacted in some ms. Else it takes tenths of a second of a processor, in
     * several states at once as a checkpoint flushes all, and just when the checkpoint begins.
     */
    static final long SMALL_BYTES = 1 << 20;

    /** Where telling RocksDB takes longer, it is told only of large states. */
    static final long QUICK_NANOS = 50_000_000;

    /** How often to look. */
    static final long LOOK_NANOS = 1_000_000_000;

    /** When a rescale is over for so long, no checkpoint is awaited. */
    static final long LONGEST_NANOS = 60_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(PostponedCompactions.class);

    private final RocksDB db;
    private final FilesInLevel0 level0;
    private final ResourceGuard guard;
    private final Executor helpers;
    private final Supplier<Collection<ColumnFamilyHandle>> columnFamilies;
    private final long largeBytes;
    private final long smallBytes;
    private final LongSupplier nanoTime;

    /** Whether rows have been deleted since compactions went on last. */
    private boolean deletes;

    /** Where compactions are to be postponed. Immutable; the task thread replaces it. */
    private volatile Set<ColumnFamilyHandle> wanted = Collections.emptySet();

    /** Where they are. Owned by the helper that tells RocksDB. */
    private final Set<ColumnFamilyHandle> postponed = copy(Collections.emptySet());

    /** Whether there may be some of those. */
    private volatile boolean mayBePostponed;

    /** Whether RocksDB has not taken it. */
    private volatile boolean failed;

    /** How long it took the last time to tell it of a state. */
    private volatile long toldNanos;

    /** How often RocksDB was to be told since the helper began that is at it. */
    private final AtomicInteger requests = new AtomicInteger();

    /**
     * @param columnFamilies those that are there as long as the database is
     * @param largeBytes from how many bytes in files on a state is large
     * @param smallBytes with fewer a state is left alone
     */
    PostponedCompactions(
            RocksDB db,
            ResourceGuard guard,
            Executor helpers,
            Supplier<Collection<ColumnFamilyHandle>> columnFamilies,
            long largeBytes,
            long smallBytes,
            LongSupplier nanoTime) {
        this.db = db;
        this.level0 = new FilesInLevel0(db);
        this.guard = guard;
        this.helpers = helpers;
        this.columnFamilies = columnFamilies;
        this.largeBytes = largeBytes;
        this.smallBytes = smallBytes;
        this.nanoTime = nanoTime;
    }

    /**
     * To be asked when a rescale begins, and every {@link #LOOK_NANOS} while it runs: soon RocksDB
     * begins no compaction by itself in a state where one is near, unless there are too many files
     * already.
     */
    void look() {
        Set<ColumnFamilyHandle> now = copy(wanted);
        try {
            boolean smallToo = toldNanos <= QUICK_NANOS;
            for (ColumnFamilyHandle family : columnFamilies.get()) {
                if (look(family, smallToo ? smallBytes : largeBytes, now)) {
                    smallToo = smallToo && bytes(family) >= largeBytes;
                }
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException("RocksDB does not tell how it is", e);
        }
        if (failed || !now.equals(wanted)) {
            wanted = now;
            tell();
        }
    }

    /**
     * @return whether compactions of this state are to be postponed from now on
     */
    private boolean look(ColumnFamilyHandle family, long leastBytes, Set<ColumnFamilyHandle> now)
            throws RocksDBException {
        int files = level0.count(family);
        int most = mostPostponed(level0.most(family));
        if (files >= most) {
            if (now.remove(family)) {
                LOG.info("A state has {} files in level 0: compactions are not postponed", files);
            }
        } else if (files <= FEW_FILES
                && !now.contains(family)
                && (deletes || files >= NEAR_FILES || isCompactionDue(family))
                && bytes(family) >= leastBytes) {
            return now.add(family);
        }
        return false;
    }

    private long bytes(ColumnFamilyHandle family) throws RocksDBException {
        return db.getLongProperty(family, "rocksdb.live-sst-files-size");
    }

    /**
     * From how many files on nothing is postponed.
     *
     * @param most how many there may be
     */
    static int mostPostponed(int most) {
        return most - LEFT < LEAST ? 0 : most - LEFT;
    }

    /** At any level: just after the last rescale, those that have waited for its end. */
    private boolean isCompactionDue(ColumnFamilyHandle family) throws RocksDBException {
        return db.getLongProperty(family, "rocksdb.compaction-pending") > 0;
    }

    /**
     * Rows of a key-group that has left are deleted. RocksDB takes each for twice as large as what
     * it deletes: a compaction is near in all states.
     */
    void onDeletion() {
        if (!deletes) {
            deletes = true;
            look();
        }
    }

    /**
     * RocksDB soon goes on with one state as the job has told it to. All at once would be compacted
     * at once. Again, if that has failed.
     *
     * @return whether there are others, with which it is to go on after {@link #LOOK_NANOS}
     */
    boolean goOn() {
        deletes = false;
        if (mayBePostponed || !wanted.isEmpty()) {
            Set<ColumnFamilyHandle> now = copy(wanted);
            for (ColumnFamilyHandle family : columnFamilies.get()) {
                if (now.remove(family)) {
                    break;
                }
            }
            wanted = now;
            tell();
        }
        return !wanted.isEmpty();
    }

    /** Whether RocksDB compacts, or will when it has taken that it may. */
    boolean mayBeMadeUp() {
        try {
            for (ColumnFamilyHandle family : columnFamilies.get()) {
                if (isCompactionDue(family)) {
                    return true;
                }
            }
            return mayBePostponed || db.getLongProperty("rocksdb.num-running-compactions") > 0;
        } catch (RocksDBException e) {
            throw new IllegalStateException("RocksDB does not tell how it is", e);
        }
    }

    private void tell() {
        mayBePostponed = true;
        if (requests.getAndIncrement() > 0) {
            // the helper that is at it looks at what is wanted once more
            return;
        }
        ResourceGuard.Lease lease;
        try {
            lease = guard.acquireResource();
        } catch (IOException e) {
            LOG.debug("The backend has been closed", e);
            return;
        }
        helpers.execute(
                () -> {
                    try {
                        tellWhatIsWanted();
                    } finally {
                        lease.close();
                    }
                });
    }

    private void tellWhatIsWanted() {
        int answered;
        do {
            answered = requests.get();
            try {
                tellWhatIsWanted(wanted);
                failed = false;
            } catch (Throwable e) {
                failed = true;
                LOG.warn("RocksDB does not take when it is to compact", e);
            }
        } while (!requests.compareAndSet(answered, 0));
    }

    private void tellWhatIsWanted(Set<ColumnFamilyHandle> now) throws RocksDBException {
        for (ColumnFamilyHandle family : copy(postponed)) {
            if (!now.contains(family)) {
                disable(family, false);
                postponed.remove(family);
            }
        }
        for (ColumnFamilyHandle family : now) {
            if (!postponed.contains(family) && compactsLevels(family)) {
                postponed.add(family);
                disable(family, true);
            }
        }
        mayBePostponed = !postponed.isEmpty();
    }

    /** By identity: in RocksDB 5.17 the hash code of such a handle is never the same twice. */
    private static Set<ColumnFamilyHandle> copy(Set<ColumnFamilyHandle> families) {
        Set<ColumnFamilyHandle> copy = Collections.newSetFromMap(new IdentityHashMap<>());
        copy.addAll(families);
        return copy;
    }

    /** Whether RocksDB decides when to compact, and has levels. */
    private static boolean compactsLevels(ColumnFamilyHandle family) throws RocksDBException {
        try (ColumnFamilyOptions options = family.getDescriptor().getOptions()) {
            return options.compactionStyle() == CompactionStyle.LEVEL
                    && !options.disableAutoCompactions();
        }
    }

    private void disable(ColumnFamilyHandle family, boolean disabled) throws RocksDBException {
        long begin = nanoTime.getAsLong();
        db.setOptions(
                family,
                MutableColumnFamilyOptions.builder().setDisableAutoCompactions(disabled).build());
        toldNanos = nanoTime.getAsLong() - begin;
    }
}
