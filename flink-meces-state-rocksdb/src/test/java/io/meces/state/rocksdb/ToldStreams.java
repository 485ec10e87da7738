// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.File;
import java.io.IOException;
import java.io.SyncFailedException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;

/** Tells when streams of checkpoints are synced. Any thread; a stream is for one at a time. */
final class ToldStreams {

    /** At what length a stream was synced, by whoever writes to it. */
    final List<Long> synced = new CopyOnWriteArrayList<>();

    /** What syncing fails with. */
    @Nullable volatile SyncFailedException error;

    /**
     * Where a checkpoint is stored.
     *
     * @param threshold from how many bytes on there is a file
     */
    CheckpointStreamFactory location(String scheme, File directory, int threshold, int buffer) {
        Path files = new Path(directory.toURI());
        return new FsCheckpointStorageLocation(
                new LocalFileSystem(),
                new Path(scheme + "://" + directory),
                files,
                files,
                CheckpointStorageLocationReference.getDefault(),
                threshold,
                buffer) {
            @Override
            public FsCheckpointStateOutputStream createCheckpointStateOutputStream(
                    CheckpointedStateScope scope) {
                return new Told(files, Math.max(threshold, buffer), threshold);
            }
        };
    }

    private final class Told extends FsCheckpointStorageLocation.FsCheckpointStateOutputStream {

        private boolean closing;

        private Told(Path directory, int buffer, int threshold) {
            super(directory, new LocalFileSystem(), buffer, threshold);
        }

        @Override
        public void sync() throws IOException {
            if (error != null) {
                throw error;
            }
            super.sync();
            if (!closing) {
                synced.add(getPos());
            }
        }

        /** Some releases of Flink sync here whatever has been written. */
        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            closing = true;
            return super.closeAndGetHandle();
        }
    }
}
