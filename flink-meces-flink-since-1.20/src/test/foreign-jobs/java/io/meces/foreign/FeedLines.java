// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.reader.SimpleStreamFormat;
import org.apache.flink.connector.file.src.reader.StreamFormat;
import org.apache.flink.core.fs.FSDataInputStream;

/** Lines of files, which are read as the {@link Feed} says, by a thread that may wait. */
final class FeedLines extends SimpleStreamFormat<String> {
    private static final long serialVersionUID = 1L;
    private final String feed;
    private final long lines;

    /**
     * @param lines of each file
     */
    FeedLines(String feed, long lines) {
        this.feed = feed;
        this.lines = lines;
    }

    @Override
    public Reader<String> createReader(Configuration config, FSDataInputStream stream) {
        return new LineReader(
                Feed.named(feed),
                lines,
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)));
    }

    @Override
    public TypeInformation<String> getProducedType() {
        return Types.STRING;
    }

    /** Owned by the thread that fetches. */
    private static final class LineReader implements StreamFormat.Reader<String> {

        /** So many records come at once. */
        private static final int BURST = 20;

        private static final long PAUSE_NANOS = 4_000_000;

        private final String file = "file " + UUID.randomUUID();
        private final Feed feed;
        private final long lines;
        private final BufferedReader reader;
        private long read;

        private LineReader(Feed feed, long lines, BufferedReader reader) {
            this.feed = feed;
            this.lines = lines;
            this.reader = reader;
        }

        @Nullable
        @Override
        public String read() throws IOException {
            try {
                feed.enter(file, (int) Math.min(read * feed.portions / lines, feed.portions - 1L));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
            if (++read % BURST == 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return reader.readLine();
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
