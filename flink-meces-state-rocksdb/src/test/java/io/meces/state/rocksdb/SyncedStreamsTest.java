// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.rocksdb.DelegatingCheckpointStreams;
import io.meces.flink.rocksdb.TestRocksDB;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.SyncFailedException;
import java.util.Random;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.util.IOUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the disk has to take what has been written, and that it is all there. */
class SyncedStreamsTest {

    private static final int STEP = 16 << 10;
    private static final int SYNC = SyncedStreams.SYNC_BYTES;
    private static final int LITTLE = SyncedStreams.LITTLE_BYTES;

    @TempDir File directory;

    private final ToldStreams files = new ToldStreams();

    private CheckpointStreamFactory in(String scheme, int threshold, int buffer) {
        return files.location(scheme, directory, threshold, buffer);
    }

    private void write(CheckpointStreamFactory streams, int bytes) throws IOException {
        byte[] data = new byte[bytes];
        new Random(bytes).nextBytes(data);
        try (FSDataOutputStream stream =
                SyncedStreams.of(streams)
                        .createCheckpointStateOutputStream(CheckpointedStateScope.SHARED)) {
            stream.write(data[0]);
            for (int from = 1; from < bytes; from += STEP) {
                stream.write(data, from, Math.min(STEP, bytes - from));
            }
            assertThat(stream.getPos()).isEqualTo(bytes);
            assertThat(read(TestRocksDB.close(stream))).isEqualTo(data);
        }
    }

    private static byte[] read(StreamStateHandle handle) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (FSDataInputStream stored = handle.openInputStream()) {
            IOUtils.copyBytes(stored, all);
        }
        return all.toByteArray();
    }

    @Test
    void theDiskTakesItEveryFewMegabytes() throws IOException {
        write(in("file", 0, STEP), 2 * SYNC + LITTLE + STEP);
        assertThat(files.synced).hasSize(3);
        assertThat(files.synced.get(0)).isBetween((long) SYNC, (long) SYNC + STEP);
        assertThat(files.synced.get(1)).isBetween(2L * SYNC, 2L * SYNC + 2 * STEP);
        assertThat(files.synced.get(2)).isEqualTo(2L * SYNC + LITTLE + STEP);
    }

    @Test
    void whatIsLittleIsNotWaitedFor() throws IOException {
        write(in("file", 0, STEP), LITTLE);
        assertThat(files.synced).isEmpty();
    }

    /** A stream has no file as long as all may go into the metadata, or into its buffer. */
    @Test
    void thereIsAFileToSync() throws IOException {
        int most = FsCheckpointStreamFactory.MAX_FILE_STATE_THRESHOLD;
        write(in("file", most, 0), most);
        assertThat(files.synced).isEmpty();
        write(in("file", most, 0), most + 1);
        assertThat(files.synced).containsExactly(most + 1L);
        write(in("file", most, 2 * SYNC), LITTLE + STEP);
        assertThat(files.synced).hasSize(2);
    }

    /** Those of S3 fail. */
    @Test
    void storagesElsewhereAreNotAskedToSync() throws IOException {
        write(in(FilesElsewhere.SCHEME, 0, STEP), 2 * SYNC);
        write(in("unknown", 0, STEP), 2 * SYNC);
        write(new DelegatingCheckpointStreams(in("file", 0, STEP)) {}, 2 * SYNC);
        assertThat(files.synced).isEmpty();
    }

    /** As Flink's task does when a checkpoint is aborted. */
    @Test
    void aStreamThatIsClosedLeavesNothing() throws IOException {
        FSDataOutputStream stream =
                SyncedStreams.of(in("file", 0, STEP))
                        .createCheckpointStateOutputStream(CheckpointedStateScope.SHARED);
        stream.write(new byte[LITTLE]);
        stream.flush();
        assertThat(directory.list()).hasSize(1);
        stream.close();
        assertThat(directory.list()).isEmpty();
    }

    @Test
    void anErrorOfTheDiskFailsTheCheckpointAndLeavesNothing() throws IOException {
        FSDataOutputStream stream =
                SyncedStreams.of(in("file", 0, STEP))
                        .createCheckpointStateOutputStream(CheckpointedStateScope.SHARED);
        stream.write(new byte[SYNC - 1]);
        files.error = new SyncFailedException("broken");
        assertThatThrownBy(() -> TestRocksDB.close(stream)).isSameAs(files.error);
        assertThat(directory.list()).isEmpty();
        try (FSDataOutputStream another =
                SyncedStreams.of(in("file", 0, STEP))
                        .createCheckpointStateOutputStream(CheckpointedStateScope.SHARED)) {
            assertThatThrownBy(() -> another.write(new byte[SYNC])).isSameAs(files.error);
        }
        assertThat(directory.list()).isEmpty();
    }
}
