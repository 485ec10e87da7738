// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import io.meces.flink.runtime.Subtasks;
import java.io.Serializable;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * Emits the records of a {@link Script} as far as its {@link Feed} lets it. Subtask s of p emits
 * the records s, s + p, s + 2p and so on. Does not restore its position: a job that restarts fails
 * the trial.
 */
final class FeedSource<T> extends RichParallelSourceFunction<T> {
    private static final long serialVersionUID = 1L;

    /** So many records come at once, and then a watermark. */
    private static final int BURST = 20;

    /** Between two bursts of a subtask while the feed is paced. */
    private static final long PACE_NANOS = 6_000_000;

    /** The records of a source: pure functions of their number, which counts from 0. */
    interface Script<T> extends Serializable {
        T record(long number);

        /** Event time in ms. */
        long timestamp(long number);
    }

    private final String feedName;
    private final String sourceName;
    private final Script<T> script;
    private final long records;
    private final long lateness;
    private volatile boolean running = true;

    /**
     * A source.
     *
     * @param records how many there are in all subtasks
     * @param lateness by how many ms a timestamp may be below that of an earlier record
     */
    FeedSource(String feedName, String sourceName, Script<T> script, long records, long lateness) {
        this.feedName = feedName;
        this.sourceName = sourceName;
        this.script = script;
        this.records = records;
        this.lateness = lateness;
    }

    @Override
    public void run(SourceContext<T> out) throws InterruptedException {
        Feed feed = Feed.named(feedName);
        int me = Subtasks.index(getRuntimeContext());
        int subtasks = Subtasks.parallelism(getRuntimeContext());
        String name = sourceName + " " + me;
        int portion = -1;
        long latest = Long.MIN_VALUE;
        long emitted = 0;
        long due = System.nanoTime();
        for (long number = me; running && number < records; number += subtasks) {
            int itsPortion = (int) (number * feed.portions / records);
            if (itsPortion > portion) {
                portion = itsPortion;
                feed.enter(name, portion);
                due = System.nanoTime();
            }
            long timestamp = script.timestamp(number);
            latest = Math.max(latest, timestamp);
            boolean burstEnds = ++emitted % BURST == 0;
            synchronized (out.getCheckpointLock()) {
                out.collectWithTimestamp(script.record(number), timestamp);
                if (burstEnds) {
                    out.emitWatermark(new Watermark(latest - lateness - 1));
                }
            }
            if (burstEnds && feed.isPaced()) {
                due += PACE_NANOS;
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
        if (running) {
            feed.end();
        }
    }

    @Override
    public void cancel() {
        running = false;
    }
}
