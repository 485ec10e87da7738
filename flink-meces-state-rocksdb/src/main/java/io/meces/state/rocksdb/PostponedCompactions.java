// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
 * Has RocksDB compact later while a rescale runs, and until some seconds after the next checkpoint.
 * Tombstones of what leaves, and what is flushed ahead of checkpoints, are small files in level 0.
 * RocksDB soon takes them for a reason to write hundreds of megabytes again, which the next
 * checkpoint stores once more; all of it beside records. And as a checkpoint flushes all states,
 * all are compacted at once.
 *
 * <p>RocksDB writes its options to a file when it is told, and all writes to the database wait for
 * the disk then, once per state. So it is told only of a state where a compaction is near: of a
 * large state in any case, of others one by one, and only where the disk is quick. Compactions go
 * on in one state after the other as well, and in some subtasks sooner than in others.
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

    /**
     * Nor of a state that will have so many more than that a second later, at the pace at which it
     * gets them: RocksDB neither slows down nor stops writes of a state that it is not to compact,
     * but does both when it is.
     */
    private static final int TOO_MANY = 4;

    /** Where that is fewer, nothing is postponed: it would begin and end with every few files. */
    private static final int LEAST = 8;

    /**
     * With so many fewer files than a large state a quarter of the others with as many is compacted
     * at each look: all of them get new files at the same time.
     */
    private static final int LEFT_OF_SMALL = 4;

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

    /** What takes less is compacted in some ms, what takes more in some tenths of a second. */
    static final long SMALL_BYTES = 1 << 20;

    /** Where it takes longer to tell RocksDB, it is told only of large states. */
    static final long QUICK_NANOS = 50_000_000;

    /** When to look for the first time: it is known then how fast files come. */
    static final long FIRST_LOOK_NANOS = FlushPace.LEAST_NANOS + 50_000_000;

    /** How often to look after that. */
    static final long LOOK_NANOS = 1_000_000_000;

    /** When a rescale is over for so long, no checkpoint is awaited. */
    static final long LONGEST_NANOS = 60_000_000_000L;

    /**
     * At this look after a checkpoint compactions go on, at the earliest. Before that the
     * JobManager deletes files of the checkpoint before, which are many after a rescale, and takes
     * one that the rescale has held back.
     */
    static final int EARLIEST_LOOK = 4;

    /** At so many different looks they go on: subtasks may share a machine. */
    static final int TURNS = 4;

    /**
     * Each time compactions go on in one of so many states that are left, so that it does not take
     * long where there are many.
     */
    private static final int SHARE = 4;

    private static final Logger LOG = LoggerFactory.getLogger(PostponedCompactions.class);

    private enum Phase {
        RESCALING,

        /** After a rescale. */
        AWAITING_CHECKPOINT,

        /** A checkpoint is complete, but it is not the turn of this subtask yet. */
        AWAITING_TURN,

        /** Also before the first rescale. */
        GOING_ON
    }

    private final RocksDB db;
    private final FilesInLevel0 level0;
    private final FlushPace pace;
    private final ResourceGuard guard;
    private final Executor helpers;
    private final Supplier<Collection<ColumnFamilyHandle>> columnFamilies;
    private final long largeBytes;
    private final long smallBytes;
    private final int looksToWait;
    private final LongSupplier nanoTime;

    /** Whether RocksDB decides when to compact a state, and has levels, as the job has it. */
    private final Map<ColumnFamilyHandle, Boolean> compactsLevels = new IdentityHashMap<>();

    private Phase phase = Phase.GOING_ON;

    /** Until when a checkpoint is awaited. */
    private long deadline;

    /** Looks that are left until it is the turn of this subtask. */
    private int looksLeft;

    /** Whether rows have been deleted in this rescale. */
    private boolean deletes;

    /** Where compactions are to be postponed. Immutable; the task thread replaces it. */
    private volatile Set<ColumnFamilyHandle> wanted = Collections.emptySet();

    /** Where they may be. Owned by the helper that tells RocksDB. */
    private final Set<ColumnFamilyHandle> postponed = copy(Collections.emptySet());

    /** Whether there may be some of those. */
    private volatile boolean mayBePostponed;

    /** Whether RocksDB has not taken something the last time. */
    private volatile boolean failed;

    /** How long it took the last time to tell RocksDB of a state. */
    private volatile long toldNanos;

    /** How often RocksDB was to be told since the helper began that is at it. */
    private final AtomicInteger requests = new AtomicInteger();

    /**
     * @param columnFamilies those that are there as long as the database is
     * @param largeBytes from how many bytes in files on a state is large
     * @param smallBytes with fewer a state is left alone
     * @param looksToWait see {@link #turnOf}
     * @param nanoTime how long RocksDB takes is measured with
     */
    PostponedCompactions(
            RocksDB db,
            ResourceGuard guard,
            Executor helpers,
            Supplier<Collection<ColumnFamilyHandle>> columnFamilies,
            long largeBytes,
            long smallBytes,
            int looksToWait,
            LongSupplier nanoTime) {
        this.db = db;
        this.level0 = new FilesInLevel0(db);
        this.pace = new FlushPace(db);
        this.guard = guard;
        this.helpers = helpers;
        this.columnFamilies = columnFamilies;
        this.largeBytes = largeBytes;
        this.smallBytes = smallBytes;
        this.looksToWait = looksToWait;
        this.nanoTime = nanoTime;
    }

    /**
     * At which look after a checkpoint compactions of a subtask go on. Neighbouring subtasks of a
     * task have different ones, and so may tasks that have the same slot.
     */
    static int turnOf(String task, int subtask) {
        return EARLIEST_LOOK + Math.floorMod(task.hashCode() + subtask, TURNS);
    }

    /** A rescale begins. Then {@link #look} after {@link #FIRST_LOOK_NANOS}. */
    void begin(long now) {
        phase = Phase.RESCALING;
        deletes = false;
        // after some rescales it is tried again whether the disk is quick
        toldNanos = toldNanos / 2;
        pace.begin();
        look(now);
    }

    /** The rescale is over. Soon a checkpoint will be complete, or none is awaited any more. */
    void end(long now) {
        phase = Phase.AWAITING_CHECKPOINT;
        deadline = now + LONGEST_NANOS;
    }

    /** A checkpoint has been completed, with no rescale at the time. */
    void onCheckpointComplete() {
        if (phase == Phase.AWAITING_CHECKPOINT) {
            awaitTurn();
        }
    }

    private void awaitTurn() {
        phase = Phase.AWAITING_TURN;
        looksLeft = looksToWait;
    }

    /** Whether no rescale runs, and nothing is awaited any more after the last one. */
    boolean haveGoneOn() {
        return phase == Phase.GOING_ON;
    }

    /**
     * Rows of a key-group that has left are deleted. RocksDB takes each for twice as large as what
     * it deletes: a compaction is near in all states.
     */
    void onDeletion(long now) {
        if (!deletes) {
            deletes = true;
            look(now);
        }
    }

    /** Files of a state have been taken over at once. Any thread. */
    void onTakenOver(ColumnFamilyHandle family) {
        pace.onTakenOver(family);
    }

    /**
     * Soon RocksDB begins no compaction by itself in a state where one is near, unless there are
     * too many files already; or, when that is over, goes on in some states as the job has told it
     * to.
     *
     * @return whether to look again after {@link #LOOK_NANOS}
     */
    boolean look(long now) {
        Set<ColumnFamilyHandle> next = copy(wanted);
        try {
            pace.look(columnFamilies.get(), now);
            awaitNext(now);
            release(next);
            if (phase == Phase.RESCALING) {
                postpone(next);
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException("RocksDB does not tell how it is", e);
        }
        if (failed || !next.equals(wanted)) {
            wanted = next;
            tell();
        }
        return mayWait();
    }

    /** Whether compactions are postponed, or may be, or are to wait for their turn. */
    private boolean mayWait() {
        return phase != Phase.GOING_ON || mayBePostponed || !wanted.isEmpty();
    }

    private void awaitNext(long now) {
        if (phase == Phase.AWAITING_TURN) {
            looksLeft--;
            phase = looksLeft > 0 ? phase : Phase.GOING_ON;
        } else if (phase == Phase.AWAITING_CHECKPOINT && now - deadline >= 0) {
            awaitTurn();
        }
    }

    /** Where many files are; besides a share of those that may go on. */
    private void release(Set<ColumnFamilyHandle> next) throws RocksDBException {
        Map<ColumnFamilyHandle, Integer> files = new IdentityHashMap<>();
        List<ColumnFamilyHandle> others = new ArrayList<>();
        for (ColumnFamilyHandle family : copy(next)) {
            int count = level0.count(family);
            int most = mostPostponed(level0.most(family));
            if (isFull(family, count, most)) {
                next.remove(family);
                LOG.info(
                        "A state has {} files in level 0, and gets {} per second: compactions are"
                                + " not postponed",
                        count,
                        pace.filesPerSecond(family));
            } else if (phase == Phase.GOING_ON
                    || count >= Math.max(LEAST, most - LEFT_OF_SMALL)
                            && bytes(family) < largeBytes) {
                files.put(family, count);
                others.add(family);
            }
        }
        if (isTold()) {
            // first where gets look through most of them
            others.sort((a, b) -> Integer.compare(files.get(b), files.get(a)));
            others.subList(0, (others.size() + SHARE - 1) / SHARE).forEach(next::remove);
        }
    }

    /**
     * Whether a state has too many files in level 0, or is about to.
     *
     * @param most from how many on nothing is postponed
     */
    private boolean isFull(ColumnFamilyHandle family, long files, int most) {
        return files >= most || files + pace.filesPerSecond(family) >= most + TOO_MANY;
    }

    /** Whether no helper is late. Otherwise RocksDB would be told of several states on end. */
    private boolean isTold() {
        return requests.get() == 0;
    }

    private void postpone(Set<ColumnFamilyHandle> next) throws RocksDBException {
        boolean smallToo = isTold() && toldNanos <= QUICK_NANOS;
        ColumnFamilyHandle largestOfSmall = null;
        long itsBytes = 0;
        for (ColumnFamilyHandle family : columnFamilies.get()) {
            if (!next.contains(family) && isNear(family)) {
                long bytes = bytes(family);
                if (bytes >= largeBytes) {
                    next.add(family);
                } else if (smallToo && bytes >= smallBytes && bytes > itsBytes) {
                    largestOfSmall = family;
                    itsBytes = bytes;
                }
            }
        }
        if (largestOfSmall != null) {
            next.add(largestOfSmall);
        }
    }

    /** Whether RocksDB soon compacts a state, and that may be postponed. */
    private boolean isNear(ColumnFamilyHandle family) throws RocksDBException {
        int files = level0.count(family);
        // also at the next look: else RocksDB would be told again and again
        long soon = files + pace.filesPerSecond(family);
        return files <= FEW_FILES
                && pace.isKnown(family)
                && !isFull(family, soon, mostPostponed(level0.most(family)))
                && (deletes || files >= NEAR_FILES || isCompactionDue(family))
                && compactsLevels(family);
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

    /** Whether RocksDB compacts, or may when it is time and it has taken that. */
    boolean mayBeMadeUp() {
        try {
            for (ColumnFamilyHandle family : columnFamilies.get()) {
                if (isCompactionDue(family)) {
                    return true;
                }
            }
            return mayWait() || db.getLongProperty("rocksdb.num-running-compactions") > 0;
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
        helpers.execute(
                () -> {
                    // not before: a task must not wait with its end for helpers that others have
                    try (ResourceGuard.Lease lease = guard.acquireResource()) {
                        tellWhatIsWanted();
                    } catch (IOException e) {
                        LOG.debug("The backend has been closed", e);
                    }
                });
    }

    private void tellWhatIsWanted() {
        int answered;
        do {
            answered = requests.get();
            tellWhatIsWanted(wanted);
        } while (!requests.compareAndSet(answered, 0));
    }

    private void tellWhatIsWanted(Set<ColumnFamilyHandle> now) {
        Throwable failure = null;
        Set<ColumnFamilyHandle> all = copy(postponed);
        all.addAll(now);
        for (ColumnFamilyHandle family : all) {
            boolean disabled = now.contains(family);
            if (disabled != postponed.contains(family)) {
                // also if it fails, as RocksDB may have taken it
                postponed.add(family);
                try {
                    disable(family, disabled);
                    if (!disabled) {
                        postponed.remove(family);
                    }
                } catch (Throwable e) {
                    // others must not stay as they are
                    failure = e;
                }
            }
        }
        if (failure != null && !failed) {
            LOG.warn("RocksDB does not take when it is to compact", failure);
        }
        failed = failure != null;
        mayBePostponed = !postponed.isEmpty();
    }

    /** By identity: in RocksDB 5.17 the hash code of such a handle is never the same twice. */
    private static Set<ColumnFamilyHandle> copy(Set<ColumnFamilyHandle> families) {
        Set<ColumnFamilyHandle> copy = Collections.newSetFromMap(new IdentityHashMap<>());
        copy.addAll(families);
        return copy;
    }

    /** Asked for the first time when nothing of it is postponed. */
    private boolean compactsLevels(ColumnFamilyHandle family) throws RocksDBException {
        Boolean known = compactsLevels.get(family);
        if (known == null) {
            try (ColumnFamilyOptions options = family.getDescriptor().getOptions()) {
                known =
                        options.compactionStyle() == CompactionStyle.LEVEL
                                && !options.disableAutoCompactions();
            }
            compactsLevels.put(family, known);
        }
        return known;
    }

    private void disable(ColumnFamilyHandle family, boolean disabled) throws RocksDBException {
        long begin = nanoTime.getAsLong();
        db.setOptions(
                family,
                MutableColumnFamilyOptions.builder().setDisableAutoCompactions(disabled).build());
        toldNanos = nanoTime.getAsLong() - begin;
    }
}
