// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Flink's number sequence (a source of FLIP-27), slowed down so that there is time to rescale. */
final class PacedSequence
        implements Source<
                Long,
                NumberSequenceSource.NumberSequenceSplit,
                Collection<NumberSequenceSource.NumberSequenceSplit>> {
    private static final long serialVersionUID = 1L;

    private final String ledgerName;
    private final NumberSequenceSource source;

    PacedSequence(String ledgerName, long from, long to) {
        this.ledgerName = ledgerName;
        this.source = new NumberSequenceSource(from, to);
    }

    @Override
    public Boundedness getBoundedness() {
        return source.getBoundedness();
    }

    @Override
    public SourceReader<Long, NumberSequenceSource.NumberSequenceSplit> createReader(
            SourceReaderContext context) {
        SourceReader<Long, NumberSequenceSource.NumberSequenceSplit> reader =
                source.createReader(context);
        return new PacedReader(reader, Ledger.named(ledgerName));
    }

    @Override
    public SplitEnumerator<
                    NumberSequenceSource.NumberSequenceSplit,
                    Collection<NumberSequenceSource.NumberSequenceSplit>>
            createEnumerator(
                    SplitEnumeratorContext<NumberSequenceSource.NumberSequenceSplit> context) {
        return source.createEnumerator(context);
    }

    @Override
    public SplitEnumerator<
                    NumberSequenceSource.NumberSequenceSplit,
                    Collection<NumberSequenceSource.NumberSequenceSplit>>
            restoreEnumerator(
                    SplitEnumeratorContext<NumberSequenceSource.NumberSequenceSplit> context,
                    Collection<NumberSequenceSource.NumberSequenceSplit> checkpoint) {
        return source.restoreEnumerator(context, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<NumberSequenceSource.NumberSequenceSplit>
            getSplitSerializer() {
        return source.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<Collection<NumberSequenceSource.NumberSequenceSplit>>
            getEnumeratorCheckpointSerializer() {
        return source.getEnumeratorCheckpointSerializer();
    }

    /** Sums the numbers of a key; emits (key, sum). */
    static final class Sum extends KeyedProcessFunction<Long, Long, String> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Long> sum;

        @Override
        public void open(Configuration parameters) {
            sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.LONG));
        }

        @Override
        public void processElement(Long n, Context context, Collector<String> out)
                throws Exception {
            long next = (sum.value() == null ? 0 : sum.value()) + n;
            sum.update(next);
            out.collect(context.getCurrentKey() + " " + next);
        }
    }

    private static final class PacedReader
            implements SourceReader<Long, NumberSequenceSource.NumberSequenceSplit> {
        private final SourceReader<Long, NumberSequenceSource.NumberSequenceSplit> reader;
        private final Ledger ledger;

        PacedReader(
                SourceReader<Long, NumberSequenceSource.NumberSequenceSplit> reader,
                Ledger ledger) {
            this.reader = reader;
            this.ledger = ledger;
        }

        @Override
        public void start() {
            reader.start();
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> out) throws Exception {
            LockSupport.parkNanos(1_000_000_000L / ledger.rate);
            ledger.emitted.incrementAndGet(0);
            return reader.pollNext(out);
        }

        @Override
        public List<NumberSequenceSource.NumberSequenceSplit> snapshotState(long checkpointId) {
            return reader.snapshotState(checkpointId);
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return reader.isAvailable();
        }

        @Override
        public void addSplits(List<NumberSequenceSource.NumberSequenceSplit> splits) {
            reader.addSplits(splits);
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
