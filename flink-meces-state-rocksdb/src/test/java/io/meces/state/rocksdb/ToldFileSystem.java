// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.File;
import java.io.IOException;
import java.io.SyncFailedException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalDataOutputStream;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;

/** Tells when files are synced. */
final class ToldFileSystem extends LocalFileSystem {

    /** At what length a file was synced. */
    final List<Long> synced = new ArrayList<>();

    /** What syncing fails with. */
    @Nullable SyncFailedException error;

    /**
     * Where a checkpoint is stored.
     *
     * @param threshold from how many bytes on there is a file
     */
    CheckpointStreamFactory location(String scheme, File directory, int threshold, int buffer) {
        return new FsCheckpointStorageLocation(
                this,
                new Path(scheme + "://" + directory),
                new Path(directory.toURI()),
                new Path(directory.toURI()),
                CheckpointStorageLocationReference.getDefault(),
                threshold,
                buffer);
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode overwrite) throws IOException {
        return new LocalDataOutputStream(new File(path.getPath())) {
            @Override
            public void sync() throws IOException {
                if (error != null) {
                    throw error;
                }
                super.sync();
                synced.add(getPos());
            }
        };
    }
}
