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
import java.util.Collections;
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
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** When RocksDB compacts level 0. */
@Timeout(60)
class PostponedCompactionsTest {

    /** RocksDB waits for as many by itself. */
    private static final int USUAL_FILES = 4;

    @TempDir Path directory;

    private final ColumnFamilyOptions ofFamily = new ColumnFamilyOptions();
    private final ResourceGuard guard = new ResourceGuard();
    private Options options;
    private RocksDB db;
    private ColumnFamilyHandle family;
    private PostponedCompactions compactions;

    @BeforeEach
    void load() {
        RocksDB.loadLibrary();
        options = new Options().setCreateIfMissing(true);
    }

    private void open() throws Exception {
        db = RocksDB.open(options, directory.resolve("db").toString());
        family =
                db.createColumnFamily(
                        new ColumnFamilyDescriptor(
                                "state".getBytes(StandardCharsets.UTF_8), ofFamily));
        compactions =
                new PostponedCompactions(
                        db, guard, Runnable::run, () -> Collections.singletonList(family));
    }

    @AfterEach
    void close() {
        family.close();
        db.close();
        options.close();
        ofFamily.close();
    }

    private boolean isPostponed() throws Exception {
        try (ColumnFamilyOptions now = family.getDescriptor().getOptions()) {
            return now.disableAutoCompactions();
        }
    }

    private String files() throws Exception {
        return db.getProperty(family, "rocksdb.num-files-at-level0");
    }

    private void addFiles(int files) throws Exception {
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
        compactions.look();
        addFiles(USUAL_FILES + 2);
        assertThat(db.getLongProperty("rocksdb.num-running-compactions")).isZero();
        assertThat(files()).isEqualTo(String.valueOf(USUAL_FILES + 2));
        compactions.look();
        assertThat(isPostponed()).isTrue();
        compactions.end();
        while (!files().equals("0")) {
            Thread.yield();
        }
        assertThat(isPostponed()).isFalse();
    }

    /** Else gets would look through more and more of them, and RocksDB stop writes at the end. */
    @Test
    void itRestsWhileThereAreManyFiles() throws Exception {
        open();
        compactions.look();
        addFiles(PostponedCompactions.LEVEL_0_FILES);
        assertThat(new WriteRoom(db).exists(Collections.singleton(family), 0)).isTrue();
        compactions.look();
        assertThat(isPostponed()).isFalse();
        while (!files().equals("0")) {
            Thread.yield();
        }
        compactions.look();
        assertThat(isPostponed()).isTrue();
    }

    @Test
    void itDoesNotBeginWithManyFiles() throws Exception {
        ofFamily.setLevel0FileNumCompactionTrigger(20);
        open();
        addFiles(PostponedCompactions.FEW_FILES + 1);
        compactions.look();
        assertThat(isPostponed()).isFalse();
    }

    /** The job may have said so. */
    @Test
    void whatIsNeverCompactedStaysSo() throws Exception {
        ofFamily.setDisableAutoCompactions(true);
        open();
        compactions.look();
        compactions.end();
        assertThat(isPostponed()).isTrue();
    }

    @Test
    void otherStylesOfCompactionGoOn() throws Exception {
        ofFamily.setCompactionStyle(CompactionStyle.UNIVERSAL);
        open();
        compactions.look();
        assertThat(isPostponed()).isFalse();
    }

    /** The next rescale may begin before it has ended. */
    @Test
    void itMayBeginTwice() throws Exception {
        open();
        compactions.look();
        compactions.look();
        assertThat(isPostponed()).isTrue();
        compactions.end();
        assertThat(isPostponed()).isFalse();
    }

    @Test
    void nothingIsDoneWhenTheBackendIsClosed() throws Exception {
        open();
        guard.close();
        compactions.look();
        assertThat(isPostponed()).isFalse();
    }
}
