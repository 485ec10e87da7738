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

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
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
import org.rocksdb.FlushOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** When RocksDB compacts level 0. */
@Timeout(60)
class PostponedCompactionsTest {

    private static final int NEAR = PostponedCompactions.NEAR_FILES;
    private static final int LARGE = 1 << 20;

    @TempDir Path directory;

    private final ColumnFamilyOptions ofFamily = new ColumnFamilyOptions();
    private final ResourceGuard guard = new ResourceGuard();
    private Executor helpers = Runnable::run;
    private long tellingNanos;
    private long nanos;
    private int failures;
    private Options options;
    private RocksDB db;
    private ColumnFamilyHandle family;
    private ColumnFamilyHandle other;
    private List<ColumnFamilyHandle> families;
    private PostponedCompactions compactions;

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
                        this::nanoTime);
        compactions.begin();
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
        other.close();
        family.close();
        db.close();
        options.close();
        ofFamily.close();
    }

    /** The rescale is over, and a checkpoint complete. */
    private void goOn() {
        compactions.end(0);
        compactions.onCheckpointComplete();
        compactions.look(0);
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
        compactions.look(0);
        addFiles(3);
        assertThat(files()).isEqualTo(String.valueOf(NEAR + 3));
        compactions.look(0);
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
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
        addFiles(1);
        compactions.look(0);
        assertThat(isPostponed()).isTrue();
        assertThat(isPostponed(other)).isFalse();
    }

    /** RocksDB counts each deletion as twice what it deletes. */
    @Test
    void aCompactionIsNearWhenRowsAreDeleted() throws Exception {
        open();
        addFiles(1);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
        compactions.onDeletion(0);
        assertThat(isPostponed()).isTrue();
        goOn();
        assertThat(isPostponed()).isFalse();
        compactions.begin();
        compactions.look(0);
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
        compactions.look(0);
        assertThat(isPostponed()).isTrue();
        db.continueBackgroundWork();
        assertThat(files()).isEqualTo("1");
    }

    @Test
    void smallStatesAreCompacted() throws Exception {
        open(LARGE, LARGE);
        addFiles(NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }

    /** A job may have a hundred states, and all writes wait while RocksDB is told of one. */
    @Test
    void ofOthersThanLargeOnesItIsToldOneByOne() throws Exception {
        tellingNanos = PostponedCompactions.QUICK_NANOS;
        open(LARGE, 1);
        addFiles(NEAR + 1);
        addFiles(other, NEAR);
        compactions.look(0);
        assertThat(isPostponed()).as("the larger one").isTrue();
        assertThat(isPostponed(other)).isFalse();
        compactions.look(0);
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
        compactions.look(0);
        compactions.look(0);
        later.forEach(Runnable::run);
        assertThat(isPostponed()).isNotEqualTo(isPostponed(other));
    }

    @Test
    void whereTellingTakesLongItIsToldOnlyOfLargeStates() throws Exception {
        tellingNanos = PostponedCompactions.QUICK_NANOS + 1;
        open(LARGE, 1);
        addFiles(NEAR);
        addFiles(other, NEAR);
        compactions.look(0);
        compactions.look(0);
        assertThat(isPostponed()).isNotEqualTo(isPostponed(other));
        ColumnFamilyHandle next = isPostponed() ? other : family;
        db.put(next, "large".getBytes(StandardCharsets.UTF_8), noise(2 * LARGE));
        addFiles(next, 1);
        compactions.look(0);
        assertThat(isPostponed(next)).as("large by now").isTrue();
    }

    /** Also where no state is large. */
    @Test
    void itIsTriedAgainWhetherTheDiskIsQuick() throws Exception {
        tellingNanos = 3 * PostponedCompactions.QUICK_NANOS;
        open(LARGE, 1);
        addFiles(NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isTrue();
        goOn();
        compactions.begin();
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
        compactions.begin();
        compactions.look(0);
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
        compactions.look(0);
        compactions.look(0);
        addFiles(6 - NEAR);
        addFiles(other, 6 - NEAR);
        compactions.look(0);
        addFiles(5);
        addFiles(other, 4);
        compactions.look(0);
        assertThat(isPostponed()).as("the one with more").isFalse();
        assertThat(isPostponed(other)).isTrue();
        compactions.look(0);
        assertThat(isPostponed(other)).isFalse();
    }

    /** Else gets would look through more and more of them, and RocksDB stop writes at the end. */
    @Test
    void itRestsWhileThereAreManyFiles() throws Exception {
        open();
        addFiles(NEAR);
        compactions.look(0);
        addFiles(PostponedCompactions.mostPostponed(FilesInLevel0.MOST) - NEAR);
        assertThat(new WriteRoom(db).exists(Collections.singleton(family), 0)).isTrue();
        addFiles(other, NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
        assertThat(isPostponed(other)).isTrue();
        while (!files().equals("0")) {
            Thread.yield();
        }
        addFiles(NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isTrue();
    }

    /** Else it would slow them down, or stop them, when it compacts again. */
    @Test
    void itRestsBeforeAJobHasWritesSlowedDown() throws Exception {
        ofFamily.setLevel0SlowdownWritesTrigger(16).setLevel0StopWritesTrigger(18);
        open();
        addFiles(NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isTrue();
        addFiles(10 - NEAR);
        assertThat(new WriteRoom(db).exists(Collections.singleton(family), 0)).isTrue();
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }

    /** RocksDB would be told again and again. */
    @Test
    void itDoesNotBeginWhereAJobHasWritesSlowedDownEarly() throws Exception {
        ofFamily.setLevel0SlowdownWritesTrigger(8).setLevel0StopWritesTrigger(12);
        open();
        addFiles(NEAR - 1);
        compactions.onDeletion(0);
        assertThat(isPostponed()).isFalse();
        addFiles(1);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }

    /** Else it would have more files than RocksDB stops writes at before the next look. */
    @Test
    void itRestsWhereFilesComeFast() throws Exception {
        open();
        addFiles(NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isTrue();
        addFiles(9);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }

    @Test
    void itDoesNotBeginWhereFilesComeFast() throws Exception {
        ofFamily.setLevel0FileNumCompactionTrigger(2);
        open();
        addFiles(40);
        while (!files().equals("0")) {
            addFiles(1);
            db.compactRange(family);
        }
        addFiles(1);
        compactions.onDeletion(0);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
        compactions.look(0);
        assertThat(isPostponed()).as("nothing has come since").isTrue();
    }

    /** It is not known how fast its files come. */
    @Test
    void ofANewStateNothingIsPostponedAtFirst() throws Exception {
        open();
        try (ColumnFamilyHandle later = create("later")) {
            families = Arrays.asList(other, family, later);
            addFiles(later, NEAR);
            compactions.look(0);
            assertThat(isPostponed(later)).isFalse();
            compactions.look(0);
            assertThat(isPostponed(later)).isTrue();
        }
    }

    @Test
    void itDoesNotBeginWithManyFiles() throws Exception {
        ofFamily.setLevel0FileNumCompactionTrigger(20);
        open();
        addFiles(PostponedCompactions.FEW_FILES + 1);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }

    /** The job may have said so. */
    @Test
    void whatIsNeverCompactedStaysSo() throws Exception {
        ofFamily.setDisableAutoCompactions(true);
        open();
        addFiles(NEAR);
        compactions.look(0);
        goOn();
        assertThat(isPostponed()).isTrue();
    }

    @Test
    void otherStylesOfCompactionGoOn() throws Exception {
        ofFamily.setCompactionStyle(CompactionStyle.UNIVERSAL);
        open();
        addFiles(NEAR);
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }

    /** Not all at once, beside records. */
    @Test
    void itGoesOnWithOneStateAfterTheOther() throws Exception {
        open();
        addFiles(NEAR + 1);
        addFiles(other, NEAR);
        compactions.look(0);
        compactions.end(0);
        assertThat(compactions.look(0)).isTrue();
        assertThat(isPostponed()).isTrue();
        compactions.onCheckpointComplete();
        compactions.onCheckpointComplete();
        assertThat(compactions.look(0)).isTrue();
        assertThat(isPostponed()).as("the one with more files").isFalse();
        assertThat(isPostponed(other)).isTrue();
        assertThat(compactions.look(0)).isFalse();
        assertThat(isPostponed(other)).isFalse();
    }

    @Test
    void itGoesOnWithoutACheckpointAfterAWhile() throws Exception {
        open();
        addFiles(NEAR);
        compactions.look(0);
        compactions.end(5);
        assertThat(compactions.look(4 + PostponedCompactions.LONGEST_NANOS)).isTrue();
        assertThat(isPostponed()).isTrue();
        assertThat(compactions.look(5 + PostponedCompactions.LONGEST_NANOS)).isFalse();
        assertThat(isPostponed()).isFalse();
    }

    @Test
    void whatHasFailedOfOneStateIsTriedAgain() throws Exception {
        open();
        addFiles(NEAR);
        addFiles(other, NEAR);
        compactions.look(0);
        goOn();
        failures = 1;
        assertThat(compactions.look(0)).isTrue();
        assertThat(compactions.look(0)).isFalse();
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
        compactions.look(0);
        assertThat(isPostponed()).isNotEqualTo(isPostponed(other));
        db.setOptions(
                isPostponed() ? other : family,
                MutableColumnFamilyOptions.builder().setDisableAutoCompactions(true).build());
        goOn();
        assertThat(compactions.look(0)).isFalse();
        assertThat(isPostponed()).isFalse();
        assertThat(isPostponed(other)).isFalse();
    }

    @Test
    void itIsLookedAtUntilRocksDBHasBeenTold() throws Exception {
        List<Runnable> later = new ArrayList<>();
        open();
        addFiles(NEAR);
        compactions.look(0);
        helpers = later::add;
        goOn();
        assertThat(compactions.look(0)).isTrue();
        later.forEach(Runnable::run);
        assertThat(isPostponed()).isFalse();
        assertThat(compactions.look(0)).isFalse();
    }

    /** What waits for that is compacted later, as well. */
    @Test
    void anotherRescaleMayBeginMeanwhile() throws Exception {
        open();
        addFiles(NEAR);
        addFiles(other, NEAR);
        compactions.look(0);
        goOn();
        compactions.begin();
        compactions.onCheckpointComplete();
        assertThat(compactions.look(0)).isTrue();
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
        compactions.look(0);
        goOn();
        compactions.begin();
        compactions.look(0);
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
        compactions.look(0);
        assertThat(isPostponed()).isFalse();
    }
}
