// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import io.meces.flink.examples.KeyedFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.util.Collector;

/** A second stage: takes the counts of each key and notes whether they rise one by one. */
public final class CountChecker extends KeyedFunction<Long, CountResult, CountResult> {
    private static final long serialVersionUID = 1L;

    private final long workNanos;

    private transient ValueState<Long> last;

    /**
     * A checker.
     *
     * @param workMicros the least time, in µs, that it takes for a count but the first of a key
     */
    public CountChecker(long workMicros) {
        this.workNanos = workMicros * 1_000L;
    }

    @Override
    protected void opened() {
        last = getRuntimeContext().getState(new ValueStateDescriptor<>("last-count", Long.class));
    }

    @Override
    public void processElement(CountResult result, Context context, Collector<CountResult> out)
            throws Exception {
        if (result.count > 1) {
            Work.atLeast(workNanos);
        }
        Long before = last.value();
        result.inSequence &= result.count == (before == null ? 1 : before + 1);
        result.processedMicros = EpochMicros.now();
        last.update(result.count);
        out.collect(result);
    }
}
