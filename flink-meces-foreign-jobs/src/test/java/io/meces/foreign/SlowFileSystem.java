// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * Local files, which a job that reads files by {@code slow:/path} reads some bytes at a time as
 * long as a test wants to rescale it. Safe for any thread.
 */
final class SlowFileSystem extends LocalFileSystem {

    private static final URI ROOT = URI.create("slow:///");
    private static final int BYTES_AT_A_TIME = 48;

    /** Files are found by their scheme in tasks of this process, so there is one pace for all. */
    private static final AtomicBoolean SLOW = new AtomicBoolean();

    static void setSlow(boolean slow) {
        SLOW.set(slow);
    }

    @Override
    public URI getUri() {
        return ROOT;
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        return new SlowStream(super.open(path));
    }

    /** Found by Flink's service loader. */
    public static final class Factory implements FileSystemFactory {
        @Override
        public String getScheme() {
            return ROOT.getScheme();
        }

        @Override
        public FileSystem create(URI uri) {
            return new SlowFileSystem();
        }
    }

    private static final class SlowStream extends FSDataInputStream {
        private final FSDataInputStream in;

        private SlowStream(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (!SLOW.get()) {
                return in.read(bytes, offset, length);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
            return in.read(bytes, offset, Math.min(length, BYTES_AT_A_TIME));
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
