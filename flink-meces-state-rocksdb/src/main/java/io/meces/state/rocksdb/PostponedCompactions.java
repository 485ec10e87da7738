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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
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
 * <p>Owned by the task thread. RocksDB is told by a helper, as it writes a file then.
 */
final class PostponedCompactions {

    /**
     * With as many files in level 0 of a state nothing is postponed for a while: a get looks
     * through all of them, and the background of a rescale waits for room when there are a few
     * more.
     */
    static final int LEVEL_0_FILES = WriteRoom.LEVEL_0_FILES - 2;

    /** With as many at most they are postponed again. */
    static final int FEW_FILES = 4;

    /** How often to look. */
    static final long LOOK_NANOS = 1_000_000_000;

    /** When a rescale is over for so long, no checkpoint is awaited. */
    static final long LONGEST_NANOS = 60_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(PostponedCompactions.class);

    private final RocksDB db;
    private final ResourceGuard guard;
    private final Executor helpers;
    private final Supplier<Collection<ColumnFamilyHandle>> columnFamilies;

    private volatile boolean wanted;

    /** Where compactions are postponed. Guarded by this. */
    private final List<ColumnFamilyHandle> postponed = new ArrayList<>();

    /** Whether there may be some of those. */
    private volatile boolean mayBePostponed;

    /**
     * @param columnFamilies those that are there as long as the database is
     */
    PostponedCompactions(
            RocksDB db,
            ResourceGuard guard,
            Executor helpers,
            Supplier<Collection<ColumnFamilyHandle>> columnFamilies) {
        this.db = db;
        this.guard = guard;
        this.helpers = helpers;
        this.columnFamilies = columnFamilies;
    }

    /**
     * To be asked when a rescale begins, and every {@link #LOOK_NANOS} while it runs: soon RocksDB
     * begins no compaction by itself, unless there are too many files already.
     */
    void look() throws RocksDBException {
        int most = 0;
        for (ColumnFamilyHandle family : columnFamilies.get()) {
            String files = db.getProperty(family, "rocksdb.num-files-at-level0");
            most = Math.max(most, Integer.parseInt(files));
        }
        if (most >= LEVEL_0_FILES) {
            if (wanted) {
                LOG.info("A state has {} files in level 0: compactions are not postponed", most);
            }
            end();
        } else if (!wanted && most <= FEW_FILES) {
            wanted = true;
            tell();
        }
    }

    /** RocksDB soon goes on as the job has told it to. Again, if that has failed. */
    void end() {
        if (wanted || mayBePostponed) {
            wanted = false;
            tell();
        }
    }

    private void tell() {
        ResourceGuard.Lease lease;
        try {
            lease = guard.acquireResource();
        } catch (IOException e) {
            LOG.debug("The backend has been closed", e);
            return;
        }
        mayBePostponed = true;
        Collection<ColumnFamilyHandle> families = columnFamilies.get();
        helpers.execute(
                () -> {
                    try {
                        tellAll(families);
                    } catch (Throwable e) {
                        LOG.warn("RocksDB does not take when it is to compact", e);
                    } finally {
                        lease.close();
                    }
                });
    }

    /** Several helpers may do so; the last one does what is wanted. */
    private synchronized void tellAll(Collection<ColumnFamilyHandle> families)
            throws RocksDBException {
        if (wanted) {
            for (ColumnFamilyHandle family : families) {
                if (compactsLevels(family)) {
                    postponed.add(family);
                    disable(family, true);
                }
            }
        } else {
            while (!postponed.isEmpty()) {
                disable(postponed.get(0), false);
                postponed.remove(0);
            }
            mayBePostponed = false;
        }
    }

    /** Whether RocksDB decides when to compact, and has levels. */
    private static boolean compactsLevels(ColumnFamilyHandle family) throws RocksDBException {
        try (ColumnFamilyOptions options = family.getDescriptor().getOptions()) {
            return options.compactionStyle() == CompactionStyle.LEVEL
                    && !options.disableAutoCompactions();
        }
    }

    private void disable(ColumnFamilyHandle family, boolean disabled) throws RocksDBException {
        db.setOptions(
                family,
                MutableColumnFamilyOptions.builder().setDisableAutoCompactions(disabled).build());
    }
}
