// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.flink.runtime.Subtasks;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * Emits records round robin over the keys, up to the position that the {@link Run} allows. The
 * event time is about the position. Restores its position.
 */
final class Feed extends RichParallelSourceFunction<Event> implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    static final int SUBTASKS = 2;
    static final int KEYS_PER_SUBTASK = 40;

    /** Records of a key. */
    static final int ROUNDS = 24;

    /** The rounds before this one are over when the first rescale begins. */
    static final int ROUND_B = 8;

    /** Half of the rescales are over before this round. */
    static final int ROUND_B2 = 12;

    /** All rescales are over before this round. */
    static final int ROUND_C = 16;

    /** All that is before this round has been processed when the job goes to its end. */
    static final int ROUND_D = 20;

    static final int END = ROUNDS * KEYS_PER_SUBTASK;

    private static final int BATCH = 8;
    private static final long PACE_NANOS = 20_000_000;

    private final String runName;

    /** 0, or 1 for the second input of a job. */
    private final int number;

    private final Times times;
    private volatile boolean running = true;
    private int position;
    private transient ListState<Integer> state;

    Feed(String runName, int number, Times times) {
        this.runName = runName;
        this.number = number;
        this.times = times;
    }

    /** The position at which a round begins. */
    static int round(int round) {
        return round * KEYS_PER_SUBTASK;
    }

    @Override
    public void run(SourceContext<Event> out) {
        Run run = Run.named(runName);
        int me = Subtasks.index(getRuntimeContext());
        while (running && position < END) {
            if (position >= run.limit()) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            synchronized (out.getCheckpointLock()) {
                for (int i = 0; i < BATCH; i++) {
                    Event event =
                            new Event(
                                    me * KEYS_PER_SUBTASK + position % KEYS_PER_SUBTASK,
                                    position / KEYS_PER_SUBTASK,
                                    times.timeOf(position));
                    out.collectWithTimestamp(event, event.time);
                    position++;
                }
                out.emitWatermark(new Watermark(times.watermarkAt(position)));
            }
            run.emitted(number * SUBTASKS + me, position);
            if (run.isPaced()) {
                LockSupport.parkNanos(PACE_NANOS);
            }
        }
        while (running && !run.mayEnd()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void cancel() {
        running = false;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        state.clear();
        state.add(position);
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        state =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("position", Integer.class));
        for (int p : state.get()) {
            position = p;
        }
    }

    /** The event times of the records. */
    enum Times {
        IN_ORDER {
            @Override
            long timeOf(int position) {
                return position;
            }
        },
        /** Of three records of a key the last two are swapped. */
        OUT_OF_ORDER {
            @Override
            long timeOf(int position) {
                int third = position / KEYS_PER_SUBTASK % 3;
                return position
                        + (third == 1 ? KEYS_PER_SUBTASK : 0)
                        - (third == 2 ? KEYS_PER_SUBTASK : 0);
            }
        },
        /** Every fourth record of the last rounds is of the first round's time. */
        LATE_AT_THE_END {
            @Override
            long timeOf(int position) {
                return position >= round(ROUND_D) && position % 4 == 0 ? position / 16 : position;
            }
        };

        abstract long timeOf(int position);

        /** The watermark behind the records before a position. */
        long watermarkAt(int position) {
            return this == OUT_OF_ORDER ? position - 2 * KEYS_PER_SUBTASK : position - 1;
        }
    }
}
