// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/**
 * The events of a {@link Run} for pipelines of Beam: key, and number of the event. It goes as far
 * as a {@link Feed} lets it. All of a key are in one split, in order.
 */
final class BeamSource extends UnboundedSource<KV<String, Long>, BeamSource.Position> {
    private static final long serialVersionUID = 1L;

    /** How much earlier than the latest one an event may be, and 1 ms. */
    private static final long LATENESS = 61;

    /** So many events come at once while the feed is paced. */
    private static final int BURST = 30;

    /** Where events come twice, the second one is so many positions behind. */
    private static final long REPEATED_AFTER = 200;

    private final String feed;
    private final String name;
    private final boolean repeating;
    private final int split;
    private final int splits;

    /**
     * A source of a pipeline that is about to be built.
     *
     * @param repeating whether events come twice, to be told apart by their ids
     */
    BeamSource(Feed feed, String name, boolean repeating) {
        this(feed.name, name, repeating, 0, Run.PARALLELISM);
        feed.expect(splits);
    }

    private BeamSource(String feed, String name, boolean repeating, int split, int splits) {
        this.feed = feed;
        this.name = name;
        this.repeating = repeating;
        this.split = split;
        this.splits = splits;
    }

    @Override
    public List<BeamSource> split(int desired, PipelineOptions options) {
        return IntStream.range(0, splits)
                .mapToObj(index -> new BeamSource(feed, name, repeating, index, splits))
                .collect(Collectors.toList());
    }

    @Override
    public boolean requiresDeduping() {
        return repeating;
    }

    @Override
    public UnboundedReader<KV<String, Long>> createReader(
            PipelineOptions options, Position checkpoint) {
        return new Reader(checkpoint == null ? 0 : checkpoint.next);
    }

    @Override
    public Coder<Position> getCheckpointMarkCoder() {
        return SerializableCoder.of(Position.class);
    }

    @Override
    public Coder<KV<String, Long>> getOutputCoder() {
        return KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of());
    }

    /** What is read next. */
    static final class Position implements UnboundedSource.CheckpointMark, Serializable {
        private static final long serialVersionUID = 1L;
        private final long next;

        private Position(long next) {
            this.next = next;
        }

        @Override
        public void finalizeCheckpoint() {
            // nobody waits for it
        }
    }

    /**
     * A position is that of an event or, with the next higher one, of an event and its repetition.
     */
    private final class Reader extends UnboundedReader<KV<String, Long>> {
        private final Run.Events events = new Run.Events(name.hashCode());
        private final Feed progress = Feed.named(feed);
        private final long end = repeating ? Run.RECORDS + REPEATED_AFTER : Run.RECORDS;
        private long next;
        private long current = -1;
        private long latest = BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis() + LATENESS;
        private int portion = -1;
        private CompletableFuture<Void> opened;
        private int inBurst;
        private boolean repeats;
        private long timestamp;
        private boolean ended;

        private Reader(long from) {
            next = from;
        }

        @Override
        public boolean start() {
            return advance();
        }

        @Override
        public boolean advance() {
            if (progress.isPaced() && inBurst == BURST) {
                inBurst = 0;
                return false;
            }
            while (next < end) {
                int itsPortion = (int) (next * progress.portions / end);
                if (itsPortion > portion) {
                    portion = itsPortion;
                    opened = progress.whenOpen(name + " " + split, portion);
                }
                if (!opened.isDone()) {
                    return false;
                }
                long position = next;
                long number = repeats ? position - REPEATED_AFTER : position;
                boolean isThere = number >= 0 && number < Run.RECORDS && isOurs(number);
                if (!repeating || repeats) {
                    next++;
                }
                repeats = repeating && !repeats;
                if (isThere) {
                    current = number;
                    // a repetition is not late: it would not be missed
                    timestamp = events.timestamp(Math.min(position, Run.RECORDS - 1));
                    latest = Math.max(latest, timestamp);
                    inBurst++;
                    return true;
                }
            }
            ended = true;
            return false;
        }

        private boolean isOurs(long number) {
            return events.record(number).f1 % splits == split;
        }

        @Override
        public KV<String, Long> getCurrent() {
            return KV.of("k" + events.record(currentNumber()).f1, currentNumber());
        }

        @Override
        public byte[] getCurrentRecordId() {
            return ByteBuffer.allocate(Long.BYTES).putLong(currentNumber()).array();
        }

        @Override
        public Instant getCurrentTimestamp() {
            return new Instant(timestamp);
        }

        private long currentNumber() {
            if (current < 0) {
                throw new NoSuchElementException();
            }
            return current;
        }

        @Override
        public Instant getWatermark() {
            return next == end ? BoundedWindow.TIMESTAMP_MAX_VALUE : new Instant(latest - LATENESS);
        }

        @Override
        public CheckpointMark getCheckpointMark() {
            return new Position(next);
        }

        @Override
        public BeamSource getCurrentSource() {
            return BeamSource.this;
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
