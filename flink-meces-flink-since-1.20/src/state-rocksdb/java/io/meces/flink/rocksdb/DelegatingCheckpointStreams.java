// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Passes all on. Any thread; a stream is for one at a time. */
public abstract class DelegatingCheckpointStreams implements CheckpointStreamFactory {

    protected final CheckpointStreamFactory streams;

    protected DelegatingCheckpointStreams(CheckpointStreamFactory streams) {
        this.streams = streams;
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        return streams.createCheckpointStateOutputStream(scope);
    }

    @Override
    public final boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope)
            throws IOException {
        return streams.canFastDuplicate(handle, scope);
    }

    @Override
    public final List<StreamStateHandle> duplicate(
            List<StreamStateHandle> handles, CheckpointedStateScope scope) throws IOException {
        return streams.duplicate(handles, scope);
    }

    @Override
    public final void reusePreviousStateHandle(Collection<? extends StreamStateHandle> previous) {
        streams.reusePreviousStateHandle(previous);
    }

    @Override
    public final boolean couldReuseStateHandle(StreamStateHandle handle) {
        return streams.couldReuseStateHandle(handle);
    }

    @Override
    public String toString() {
        return streams.toString();
    }

    /** Passes all on. */
    protected abstract static class DelegatingStream extends CheckpointStateOutputStream {

        protected final CheckpointStateOutputStream stream;

        protected DelegatingStream(CheckpointStreamFactory streams, CheckpointedStateScope scope)
                throws IOException {
            this.stream = streams.createCheckpointStateOutputStream(scope);
        }

        @Override
        public void write(int b) throws IOException {
            stream.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            stream.write(bytes, offset, length);
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
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
