// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.apache.flink.util.ResourceGuard;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.SstFileWriter;

/** When RocksDB compacts level 0. */
@Timeout(60)
class PostponedCompactionsTest {

    private static final int NEAR = PostponedCompactions.NEAR_FILES;
    private static final int LARGE = 1 << 20;

    @TempDir Path directory;

    private final ColumnFamilyOptions ofFamily = new ColumnFamilyOptions();
    private final ResourceGuard guard = new ResourceGuard();
    private Executor helpers = Runnable::run;
    private long now;
    private long tellingNanos;
    private long nanos;
    private int failures;
    private Options options;
    private RocksDB db;
    private ColumnFamilyHandle family;
    private ColumnFamilyHandle other;
    private List<ColumnFamilyHandle> families;
    private PostponedCompactions compactions;

    /** At the next look. */
    private int looksToWait = 1;

    @BeforeEach
    void load() {
        RocksDB.loadLibrary();
        options = new Options().setCreateIfMissing(true);
    }

    private void open() throws Exception {
        open(1, 1);
    }

    private void open(long largeBytes, long smallBytes) throws Exception {
        db = RocksDB.open(options, directory.resolve("db").toString());
        family = create("state");
        other = create("other");
        families = Arrays.asList(other, family);
        compactions =
                new PostponedCompactions(
                        db,
                        guard,
                        action -> helpers.execute(action),
                        () -> families,
                        largeBytes,
                        smallBytes,
                        looksToWait,
                        this::nanoTime);
        compactions.begin(now);
    }

    private boolean look() {
        now += PostponedCompactions.LOOK_NANOS;
        return compactions.look(now);
    }

    private long nanoTime() {
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("as if RocksDB did not take it");
        }
        return nanos += tellingNanos;
    }

    private ColumnFamilyHandle create(String name) throws Exception {
        return db.createColumnFamily(
                new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.UTF_8), ofFamily));
    }

    @AfterEach
    void close() {
        if (db != null) {
            other.close();
            family.close();
            db.close();
        }
        options.close();
        ofFamily.close();
    }

    /** The rescale is over, and a checkpoint complete. */
    private void goOn() {
        compactions.end(now);
        compactions.onCheckpointComplete();
        look();
    }

    private boolean isPostponed() throws Exception {
        return isPostponed(family);
    }

    private static boolean isPostponed(ColumnFamilyHandle family) throws Exception {
        try (ColumnFamilyOptions now = family.getDescriptor().getOptions()) {
            return now.disableAutoCompactions();
        }
    }

    private String files() throws Exception {
        return db.getProperty(family, "rocksdb.num-files-at-level0");
    }

    private void addFiles(int files) throws Exception {
        addFiles(family, files);
    }

    private void addFiles(ColumnFamilyHandle family, int files) throws Exception {
        try (FlushOptions waits = new FlushOptions().setWaitForFlush(true)) {
            for (int i = 0; i < files; i++) {
                db.put(family, "key".getBytes(StandardCharsets.UTF_8), new byte[] {(byte) i});
                db.flush(waits, family);
            }
        }
    }

    @Test
    void nothingIsCompactedBeforeTheEnd() throws Exception {
        open();
        addFiles(NEAR);
        look();
        addFiles(3);
        assertThat(files()).isEqualTo(String.valueOf(NEAR + 3));
        look();
        assertThat(isPostponed()).isTrue();
        goOn();
        while (!files().equals("0")) {
            Thread.yield();
        }
        assertThat(isPostponed()).isFalse();
    }

    /** All writes wait while RocksDB is told, as it stores its options. */
    @Test
    void itIsToldOnlyOfStatesWhereACompactionIsNear() throws Exception {
        open();
        addFiles(NEAR - 1);
        look();
        assertThat(isPostponed()).isFalse();
        addFiles(1);
        look();
        assertThat(isPostponed()).isTrue();
        assertThat(isPostponed(other)).isFalse();
    }

    /** RocksDB counts each deletion as twice what it deletes. */
    @Test
    void aCompactionIsNearWhenRowsAreDeleted() throws Exception {
        open();
        addFiles(1);
        look();
        assertThat(isPostponed()).isFalse();
        compactions.onDeletion(now);
        assertThat(isPostponed()).isTrue();
        goOn();
        assertThat(isPostponed()).isFalse();
        compactions.begin(now);
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** As just after another rescale, at any level. */
    @Test
    void aCompactionIsNearWhenItIsDue() throws Exception {
        ofFamily.setLevel0FileNumCompactionTrigger(1).setDisableAutoCompactions(true);
        open();
        addFiles(1);
        db.pauseBackgroundWork();
        db.setOptions(
                family,
                MutableColumnFamilyOptions.builder().setDisableAutoCompactions(false).build());
        look();
        assertThat(isPostponed()).isTrue();
        db.continueBackgroundWork();
        assertThat(files()).isEqualTo("1");
    }

    @Test
    void smallStatesAreCompacted() throws Exception {
        open(LARGE, LARGE);
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** A job may have a hundred states, and all writes wait while RocksDB is told of one. */
    @Test
    void ofOthersThanLargeOnesItIsToldOneByOne() throws Exception {
        tellingNanos = PostponedCompactions.QUICK_NANOS;
        open(LARGE, 1);
        addFiles(NEAR + 1);
        addFiles(other, NEAR);
        look();
        assertThat(isPostponed()).as("the larger one").isTrue();
        assertThat(isPostponed(other)).isFalse();
        look();
        assertThat(isPostponed(other)).isTrue();
    }

    /** As it was judged by how long it took before. */
    @Test
    void ofNoOtherIsItToldWhileAHelperIsLate() throws Exception {
        List<Runnable> later = new ArrayList<>();
        helpers = later::add;
        open(LARGE, 1);
        addFiles(NEAR);
        addFiles(other, NEAR);
        look();
        look();
        later.forEach(Runnable::run);
        assertThat(isPostponed()).isNotEqualTo(isPostponed(other));
    }

    @Test
    void whereTellingTakesLongItIsToldOnlyOfLargeStates() throws Exception {
        tellingNanos = PostponedCompactions.QUICK_NANOS + 1;
        open(LARGE, 1);
        addFiles(NEAR);
        addFiles(other, NEAR);
        look();
        look();
        assertThat(isPostponed()).isNotEqualTo(isPostponed(other));
        ColumnFamilyHandle next = isPostponed() ? other : family;
        db.put(next, "large".getBytes(StandardCharsets.UTF_8), noise(2 * LARGE));
        addFiles(next, 1);
        look();
        assertThat(isPostponed(next)).as("large by now").isTrue();
    }

    /** Also where no state is large. */
    @Test
    void itIsTriedAgainWhetherTheDiskIsQuick() throws Exception {
        tellingNanos = 3 * PostponedCompactions.QUICK_NANOS;
        open(LARGE, 1);
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isTrue();
        goOn();
        compactions.begin(now);
        look();
        assertThat(isPostponed()).isFalse();
        compactions.begin(now);
        look();
        assertThat(isPostponed()).isTrue();
    }

    private static byte[] noise(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(1).nextBytes(noise);
        return noise;
    }

    /** All get a file with each checkpoint. */
    @Test
    void ofThoseWithManyFilesOneAfterTheOtherIsCompacted() throws Exception {
        open(LARGE, 1);
        addFiles(NEAR);
        addFiles(other, NEAR);
        look();
        look();
        addFiles(6 - NEAR);
        addFiles(other, 6 - NEAR);
        look();
        addFiles(5);
        addFiles(other, 4);
        look();
        assertThat(isPostponed()).as("the one with more").isFalse();
        assertThat(isPostponed(other)).isTrue();
        look();
        assertThat(isPostponed(other)).isFalse();
    }

    /** Else gets would look through more and more of them, and RocksDB stop writes at the end. */
    @Test
    void itRestsWhileThereAreManyFiles() throws Exception {
        open();
        addFiles(NEAR);
        look();
        addFiles(PostponedCompactions.mostPostponed(FilesInLevel0.MOST) - NEAR);
        assertThat(new WriteRoom(db).exists(Collections.singleton(family), 0)).isTrue();
        addFiles(other, NEAR);
        look();
        assertThat(isPostponed()).isFalse();
        assertThat(isPostponed(other)).isTrue();
        while (!files().equals("0")) {
            Thread.yield();
        }
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isTrue();
    }

    /** Else it would slow them down, or stop them, when it compacts again. */
    @Test
    void itRestsBeforeAJobHasWritesSlowedDown() throws Exception {
        ofFamily.setLevel0SlowdownWritesTrigger(16).setLevel0StopWritesTrigger(18);
        open();
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isTrue();
        addFiles(10 - NEAR);
        assertThat(new WriteRoom(db).exists(Collections.singleton(family), 0)).isTrue();
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** RocksDB would be told again and again. */
    @Test
    void itDoesNotBeginWhereAJobHasWritesSlowedDownEarly() throws Exception {
        ofFamily.setLevel0SlowdownWritesTrigger(8).setLevel0StopWritesTrigger(12);
        open();
        addFiles(NEAR - 1);
        compactions.onDeletion(now);
        assertThat(isPostponed()).isFalse();
        addFiles(1);
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** Else RocksDB would slow writes down, or stop them, when it compacts again. */
    @Test
    void itRestsWhereThereWillBeTooManyFiles() throws Exception {
        open();
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isTrue();
        addFiles(9);
        look();
        assertThat(isPostponed()).as("18 files in a second").isFalse();
    }

    @Test
    void itGoesOnWhereThereWillBeSomeMoreFiles() throws Exception {
        open();
        addFiles(NEAR + 1);
        look();
        addFiles(8);
        look();
        assertThat(isPostponed()).as("17 files in a second").isTrue();
    }

    @Test
    void itDoesNotBeginWhereFilesComeFast() throws Exception {
        open();
        comeAndAreCompacted(20);
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isFalse();
        look();
        assertThat(isPostponed()).as("nothing has come since").isTrue();
    }

    /** RocksDB would be told again and again. */
    @Test
    void itDoesNotBeginWhereItWouldSoonRest() throws Exception {
        open();
        comeAndAreCompacted(8);
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).as("18 files in two seconds").isFalse();
    }

    @Test
    void itBeginsWhereACheckpointMakesFilesAtOnce() throws Exception {
        open();
        look();
        addFiles(NEAR);
        compactions.look(now += FlushPace.LEAST_NANOS);
        assertThat(isPostponed()).isTrue();
    }

    @Test
    void whatComesIsSeenOverTime() throws Exception {
        open();
        comeAndAreCompacted(20);
        addFiles(NEAR);
        now += 3 * PostponedCompactions.LOOK_NANOS;
        look();
        assertThat(isPostponed()).as("6 files per second").isTrue();
    }

    @Test
    void whatCameBeforeARescaleDoesNotCount() throws Exception {
        open();
        look();
        goOn();
        comeAndAreCompacted(20);
        addFiles(NEAR);
        compactions.begin(now);
        look();
        assertThat(isPostponed()).isTrue();
    }

    /** In level 0 they are not. */
    @Test
    void whatIsTakenOverDoesNotCount() throws Exception {
        open();
        for (int i = 0; i < 40; i++) {
            takeOver("row " + (char) ('0' + i));
        }
        assertThat(files()).isEqualTo("0");
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isTrue();
    }

    private void takeOver(String row) throws Exception {
        Path file = directory.resolve("file");
        try (EnvOptions env = new EnvOptions();
                SstFileWriter writer = new SstFileWriter(env, options);
                IngestExternalFileOptions how = new IngestExternalFileOptions()) {
            writer.open(file.toString());
            writer.put(row.getBytes(StandardCharsets.UTF_8), new byte[1]);
            writer.finish();
            how.setMoveFiles(true);
            db.ingestExternalFile(family, Collections.singletonList(file.toString()), how);
        }
        compactions.onTakenOver(family);
    }

    @Test
    void aPaceIsKnownOnlyAfterAWhile() throws Exception {
        open();
        addFiles(NEAR);
        now += FlushPace.LEAST_NANOS - 1;
        compactions.onDeletion(now);
        compactions.look(now);
        assertThat(isPostponed()).isFalse();
        compactions.look(now + 1);
        assertThat(isPostponed()).isTrue();
        addFiles(other, NEAR);
        compactions.begin(now + 1);
        compactions.onDeletion(now + 1);
        assertThat(isPostponed(other)).as("in the next rescale").isFalse();
    }

    /** Not a second later, when RocksDB may have begun to compact. */
    @Test
    void itIsKnownWhenRowsAreDeleted() throws Exception {
        open();
        addFiles(1);
        now += FlushPace.LEAST_NANOS;
        compactions.onDeletion(now);
        assertThat(isPostponed()).isTrue();
    }

    private void comeAndAreCompacted(int files) throws Exception {
        addFiles(files);
        db.compactRange(family);
        assertThat(files()).isEqualTo("0");
    }

    /** Nobody else looks at it before. */
    @Test
    void ofOneThatHasTooManyFilesWhenARescaleBeginsItIsToldAtOnce() throws Exception {
        open();
        addFiles(NEAR);
        look();
        compactions.end(now);
        addFiles(PostponedCompactions.mostPostponed(FilesInLevel0.MOST) - NEAR);
        compactions.begin(now);
        assertThat(isPostponed()).isFalse();
    }

    /** It is not known how fast its files come. */
    @Test
    void ofANewStateNothingIsPostponedAtFirst() throws Exception {
        open();
        try (ColumnFamilyHandle later = create("later")) {
            families = Arrays.asList(other, family, later);
            addFiles(later, NEAR);
            look();
            assertThat(isPostponed(later)).isFalse();
            look();
            assertThat(isPostponed(later)).isTrue();
        }
    }

    @Test
    void itDoesNotBeginWithManyFiles() throws Exception {
        ofFamily.setLevel0FileNumCompactionTrigger(20);
        open();
        addFiles(PostponedCompactions.FEW_FILES + 1);
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** The job may have said so. */
    @Test
    void whatIsNeverCompactedStaysSo() throws Exception {
        ofFamily.setDisableAutoCompactions(true);
        open();
        addFiles(NEAR);
        look();
        goOn();
        assertThat(isPostponed()).isTrue();
    }

    @Test
    void otherStylesOfCompactionGoOn() throws Exception {
        ofFamily.setCompactionStyle(CompactionStyle.UNIVERSAL);
        open();
        addFiles(NEAR);
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** Not all at once, beside records. */
    @Test
    void itGoesOnWithOneStateAfterTheOther() throws Exception {
        open();
        addFiles(NEAR + 1);
        addFiles(other, NEAR);
        look();
        compactions.end(now);
        assertThat(look()).isTrue();
        assertThat(isPostponed()).isTrue();
        compactions.onCheckpointComplete();
        compactions.onCheckpointComplete();
        assertThat(look()).isTrue();
        assertThat(isPostponed()).as("the one with more files").isFalse();
        assertThat(isPostponed(other)).isTrue();
        assertThat(look()).isFalse();
        assertThat(isPostponed(other)).isFalse();
    }

    /** The JobManager deletes files, and other subtasks may be on the same machine. */
    @Test
    void itGoesOnWhenItIsItsTurn() throws Exception {
        looksToWait = 3;
        open();
        addFiles(NEAR);
        look();
        compactions.end(now);
        look();
        look();
        compactions.onCheckpointComplete();
        look();
        compactions.onCheckpointComplete();
        assertThat(look()).isTrue();
        assertThat(isPostponed()).isTrue();
        assertThat(compactions.haveGoneOn()).isFalse();
        assertThat(look()).isFalse();
        assertThat(isPostponed()).isFalse();
        assertThat(compactions.haveGoneOn()).isTrue();
    }

    @Test
    void neighbouringSubtasksGoOnAtDifferentLooks() {
        int turns = PostponedCompactions.TURNS;
        for (int first = 0; first < 2 * turns; first++) {
            assertThat(
                            IntStream.range(first, first + turns)
                                    .map(i -> PostponedCompactions.turnOf("task", i))
                                    .boxed())
                    .containsExactlyInAnyOrder(4, 5, 6, 7);
        }
    }

    @Test
    void theNameOfATaskCounts() {
        assertThat(
                        IntStream.range(0, 100)
                                .map(i -> PostponedCompactions.turnOf("task " + i, 3))
                                .distinct()
                                .boxed())
                .containsExactlyInAnyOrder(4, 5, 6, 7);
    }

    @Test
    void anotherRescaleMayBeginBeforeItsTurn() throws Exception {
        looksToWait = 2;
        open();
        addFiles(NEAR);
        look();
        compactions.end(now);
        compactions.onCheckpointComplete();
        look();
        compactions.begin(now);
        for (int i = 0; i < 3; i++) {
            look();
        }
        assertThat(isPostponed()).isTrue();
        compactions.end(now);
        compactions.onCheckpointComplete();
        look();
        assertThat(isPostponed()).as("its turn is as late as before").isTrue();
        look();
        assertThat(isPostponed()).isFalse();
    }

    /** So that compactions of what has left learn when they may begin. */
    @Test
    void itIsLookedAtUntilItsTurnEvenIfNothingIsPostponed() throws Exception {
        looksToWait = 2;
        open();
        compactions.end(now);
        assertThat(look()).isTrue();
        compactions.onCheckpointComplete();
        assertThat(look()).isTrue();
        assertThat(compactions.haveGoneOn()).isFalse();
        assertThat(look()).isFalse();
        assertThat(compactions.haveGoneOn()).isTrue();
    }

    @Test
    void itGoesOnWithoutACheckpointAfterAWhile() throws Exception {
        looksToWait = 2;
        open();
        addFiles(NEAR);
        look();
        compactions.end(now);
        now += PostponedCompactions.LONGEST_NANOS;
        assertThat(compactions.look(now - 1)).isTrue();
        assertThat(compactions.look(now)).as("its turn comes later").isTrue();
        assertThat(look()).isTrue();
        assertThat(isPostponed()).isTrue();
        assertThat(look()).isFalse();
        assertThat(isPostponed()).isFalse();
    }

    @Test
    void whatHasFailedOfOneStateIsTriedAgain() throws Exception {
        open();
        addFiles(NEAR);
        addFiles(other, NEAR);
        look();
        goOn();
        failures = 1;
        assertThat(look()).isTrue();
        assertThat(look()).isFalse();
        assertThat(isPostponed()).isFalse();
        assertThat(isPostponed(other)).isFalse();
    }

    /** Even if RocksDB has taken it, and said that it has not. */
    @Test
    void whatHasFailedOfOneStateIsDoneForOthers() throws Exception {
        open();
        addFiles(NEAR);
        addFiles(other, NEAR);
        failures = 1;
        look();
        assertThat(isPostponed()).isNotEqualTo(isPostponed(other));
        db.setOptions(
                isPostponed() ? other : family,
                MutableColumnFamilyOptions.builder().setDisableAutoCompactions(true).build());
        goOn();
        assertThat(look()).isFalse();
        assertThat(isPostponed()).isFalse();
        assertThat(isPostponed(other)).isFalse();
    }

    @Test
    void itIsLookedAtUntilRocksDBHasBeenTold() throws Exception {
        List<Runnable> later = new ArrayList<>();
        open();
        addFiles(NEAR);
        look();
        helpers = later::add;
        goOn();
        assertThat(look()).isTrue();
        later.forEach(Runnable::run);
        assertThat(isPostponed()).isFalse();
        assertThat(look()).isFalse();
    }

    /** What waits for that is compacted later, as well. */
    @Test
    void anotherRescaleMayBeginMeanwhile() throws Exception {
        open();
        addFiles(NEAR);
        addFiles(other, NEAR);
        look();
        goOn();
        compactions.begin(now);
        compactions.onCheckpointComplete();
        assertThat(look()).isTrue();
        assertThat(isPostponed()).isTrue();
        assertThat(isPostponed(other)).isTrue();
    }

    /** It may be asked again and again while a helper is late. */
    @Test
    void theLastOneCounts() throws Exception {
        List<Runnable> later = new ArrayList<>();
        helpers = later::add;
        open();
        addFiles(NEAR);
        look();
        goOn();
        compactions.begin(now);
        look();
        assertThat(later).hasSize(1);
        later.forEach(Runnable::run);
        assertThat(isPostponed()).isTrue();
        goOn();
        assertThat(later).hasSize(2);
        later.get(1).run();
        assertThat(isPostponed()).isFalse();
    }

    @Test
    void nothingIsDoneWhenTheBackendIsClosed() throws Exception {
        open();
        addFiles(NEAR);
        guard.close();
        look();
        assertThat(isPostponed()).isFalse();
    }
}
