// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Query 5: the auctions with the most bids of a window. Keyed by the end of the window.
 *
 * <p>Keeps those that have the most so far, until the window ends.
 */
final class HotItems extends KeyedProcessFunction<Long, Event, Result> {
    private static final long serialVersionUID = 1L;

    private transient ListState<BidCount> most;

    /** When the last bid of the window was to be sent. */
    private transient ValueState<Long> lastMicros;

    @Override
    public void open(Configuration parameters) {
        most =
                getRuntimeContext()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "most-bids", new EventType<>(BidCount.class)));
        lastMicros =
                getRuntimeContext().getState(new ValueStateDescriptor<>("last-micros", Types.LONG));
    }

    @Override
    public void processElement(Event event, Context context, Collector<Result> out)
            throws Exception {
        if (event instanceof Marker) {
            out.collect(Result.marker((Marker) event));
            return;
        }
        BidCount count = (BidCount) event;
        long before = 0;
        for (BidCount one : most.get()) {
            // They are all equal.
            before = one.count;
            break;
        }
        Long last = lastMicros.value();
        lastMicros.update(last == null ? count.timeMicros : Math.max(last, count.timeMicros));
        if (before == 0) {
            context.timerService().registerEventTimeTimer(count.windowEnd - 1);
        }
        if (count.count > before) {
            most.clear();
        }
        if (count.count >= before) {
            most.add(count);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Result> out) throws Exception {
        for (BidCount count : most.get()) {
            out.collect(
                    Result.line(lastMicros.value(), count.windowEnd, count.auction, count.count));
        }
        most.clear();
        lastMicros.clear();
    }
}
