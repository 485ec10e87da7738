// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceEnumerator;
import org.apache.flink.core.io.InputStatus;

/**
 * Flink's source of numbers (FLIP-27) in many splits, which its coordinator gives to readers that
 * ask for one, as sources of files do. A reader waits with each split until its portion of the
 * {@link Feed} is open.
 */
final class SplitSource extends NumberSequenceSource {
    private static final long serialVersionUID = 1L;

    private static final int SPLITS_PER_PORTION = 8;

    private final String feedName;
    private final long records;
    private final int portions;

    /**
     * A source of the numbers from 0.
     *
     * @param records how many there are
     */
    SplitSource(Feed feed, long records) {
        super(0, records - 1);
        this.feedName = feed.name;
        this.records = records;
        this.portions = feed.portions;
    }

    @Override
    public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> createEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context) {
        return new IteratorSourceEnumerator<>(
                context, splitNumberRange(0, records - 1, SPLITS_PER_PORTION * portions));
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
        return new Reader(super.createReader(context), context.getIndexOfSubtask());
    }

    private final class Reader implements SourceReader<Long, NumberSequenceSplit> {
        private final SourceReader<Long, NumberSequenceSplit> reader;
        private final String name;

        /** Splits of a portion that is not open. */
        private final List<NumberSequenceSplit> waiting = new ArrayList<>();

        private CompletableFuture<Void> open = new CompletableFuture<>();

        private Reader(SourceReader<Long, NumberSequenceSplit> reader, int subtask) {
            this.reader = reader;
            this.name = "splits " + subtask;
        }

        @Override
        public void addSplits(List<NumberSequenceSplit> splits) {
            waiting.addAll(splits);
            int portion = (int) (splits.get(0).from() * portions / records);
            CompletableFuture<Void> before = open;
            open = Feed.named(feedName).whenOpen(name, portion);
            before.complete(null);
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> out) throws Exception {
            if (!waiting.isEmpty()) {
                if (!open.isDone()) {
                    return InputStatus.NOTHING_AVAILABLE;
                }
                reader.addSplits(new ArrayList<>(waiting));
                waiting.clear();
                open = new CompletableFuture<>();
            }
            return reader.pollNext(out);
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return waiting.isEmpty()
                    ? CompletableFuture.anyOf(reader.isAvailable(), open).thenApply(done -> null)
                    : open;
        }

        @Override
        public List<NumberSequenceSplit> snapshotState(long checkpoint) {
            List<NumberSequenceSplit> splits = new ArrayList<>(reader.snapshotState(checkpoint));
            splits.addAll(waiting);
            return splits;
        }

        @Override
        public void start() {
            reader.start();
        }

        @Override
        public void notifyNoMoreSplits() {
            reader.notifyNoMoreSplits();
        }

        @Override
        public void close() throws Exception {
            reader.close();
        }
    }
}
