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
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;

/**
 * Streams for a checkpoint that is stored beside a rescale. It stores what has moved once more:
 * gigabytes, where one of the job at rest stores megabytes.
 *
 * <p>Whoever writes so much gives way to others. And if the checkpoint goes to a disk of this
 * machine, it has the disk take it every few megabytes. Else the kernel gathers it in memory and
 * then writes all of it at once, and whatever else reads from the disk or writes to it waits for
 * that: records for what is not in memory, a flush for its file.
 *
 * <p>Any thread; a stream is for one at a time.
 */
final class PacedStreams implements CheckpointStreamFactory {

    /** What a disk takes in some ms. */
    static final int SYNC_BYTES = 4 << 20;

    /** The end of a file is not worth a wait. But a stream with more has a file in any case. */
    static final int LITTLE_BYTES = 1 << 20;

    private final CheckpointStreamFactory streams;
    private final boolean syncs;

    private PacedStreams(CheckpointStreamFactory streams, boolean syncs) {
        this.streams = streams;
        this.syncs = syncs;
    }

    /**
     * Others than those of this machine may not be able to sync, and need not.
     *
     * @throws IOException if there is no such file system
     */
    static PacedStreams of(CheckpointStreamFactory streams) throws IOException {
        return new PacedStreams(
                streams,
                streams instanceof FsCheckpointStorageLocation
                        && !((FsCheckpointStorageLocation) streams)
                                .getCheckpointDirectory()
                                .getFileSystem()
                                .isDistributedFS());
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        return new Paced(streams.createCheckpointStateOutputStream(scope), syncs);
    }

    @Override
    public String toString() {
        return streams.toString();
    }

    /** Passes all on. */
    private static final class Paced extends CheckpointStateOutputStream {

        private final CheckpointStateOutputStream stream;
        private final boolean syncs;
        private final GivesWay givesWay = new GivesWay();
        private long written;

        private Paced(CheckpointStateOutputStream stream, boolean syncs) {
            this.stream = stream;
            this.syncs = syncs;
        }

        @Override
        public void write(int b) throws IOException {
            stream.write(b);
            onWritten(1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            stream.write(bytes, offset, length);
            onWritten(length);
        }

        private void onWritten(int length) throws IOException {
            givesWay.after(length);
            written += length;
            if (written >= SYNC_BYTES) {
                syncIfOnThisMachine();
            }
        }

        private void syncIfOnThisMachine() throws IOException {
            written = 0;
            if (syncs) {
                stream.flush();
                stream.sync();
            }
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            if (written > LITTLE_BYTES) {
                syncIfOnThisMachine();
            }
            return stream.closeAndGetHandle();
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void sync() throws IOException {
            stream.sync();
        }
    }
}
