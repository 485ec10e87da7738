// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.DelegatingCheckpointStreams;
import java.io.IOException;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;

/**
 * Streams for a checkpoint beside a rescale, or after one. It stores what has moved, or has been
 * compacted since, once more: gigabytes, where one of the job at rest stores megabytes. If it goes
 * to a file system that is mounted here, its storage has to take it every few megabytes. Otherwise
 * the kernel gathers it in memory and then writes all of it at once. If that is the disk of the
 * database, too, whatever else reads from it or writes to it waits for that: records for what is
 * not in memory, a flush for its file.
 *
 * <p>An error of the disk fails the checkpoint. It must not be ignored: the kernel may tell of it
 * only once.
 *
 * <p>Any thread; a stream is for one at a time.
 */
final class SyncedStreams extends DelegatingCheckpointStreams {

    /** What a disk takes in some ms. */
    static final int SYNC_BYTES = 4 << 20;

    /** The end of a file is not worth a wait. But a stream with more has a file in any case. */
    static final int LITTLE_BYTES = 1 << 20;

    private SyncedStreams(CheckpointStreamFactory streams) {
        super(streams);
    }

    /** The given streams, synced if they go to a mounted file system: others may not be able to. */
    static CheckpointStreamFactory of(CheckpointStreamFactory streams) {
        return streams instanceof FsCheckpointStorageLocation
                        && isMounted(
                                ((FsCheckpointStorageLocation) streams).getCheckpointDirectory())
                ? new SyncedStreams(streams)
                : streams;
    }

    private static boolean isMounted(Path directory) {
        try {
            return !directory.getFileSystem().isDistributedFS();
        } catch (IOException e) {
            // one of a storage of the user's own, which Flink does not know
            return false;
        }
    }

    @Override
    public DelegatingStream createCheckpointStateOutputStream(CheckpointedStateScope scope)
            throws IOException {
        return new Synced(streams, scope);
    }

    private static final class Synced extends DelegatingStream {

        private long written;

        private Synced(CheckpointStreamFactory streams, CheckpointedStateScope scope)
                throws IOException {
            super(streams, scope);
        }

        @Override
        public void write(int b) throws IOException {
            super.write(b);
            onWritten(1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            super.write(bytes, offset, length);
            onWritten(length);
        }

        private void onWritten(int length) throws IOException {
            written += length;
            if (written >= SYNC_BYTES) {
                sync();
            }
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            try {
                if (written > LITTLE_BYTES) {
                    sync();
                }
            } catch (IOException e) {
                // nobody else does
                close();
                throw e;
            }
            return super.closeAndGetHandle();
        }

        @Override
        public void sync() throws IOException {
            written = 0;
            flush();
            super.sync();
        }
    }
}
