// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Query 4: the average price of all auctions that have ended, whenever that changes. Keyed by
 * category.
 *
 * <p>Keeps the sum, and the prices of each time until the watermark has passed it: the averages are
 * those of the order in event time.
 */
final class CategoryAverage extends KeyedProcessFunction<Long, Event, Result> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<PriceSum> total;
    private transient MapState<Long, PriceSum> pending;

    @Override
    public void open(Configuration parameters) {
        EventType<PriceSum> sums = new EventType<>(PriceSum.class);
        total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", sums));
        pending =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("pending", Types.LONG, sums));
    }

    @Override
    public void processElement(Event event, Context context, Collector<Result> out)
            throws Exception {
        if (event instanceof Marker) {
            out.collect(Result.marker((Marker) event));
            return;
        }
        WinningBid bid = (WinningBid) event;
        PriceSum before = pending.get(bid.end);
        pending.put(bid.end, (before == null ? PriceSum.NOTHING : before).plus(bid));
        context.timerService().registerEventTimeTimer(bid.end);
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Result> out) throws Exception {
        PriceSum added = pending.get(time);
        pending.remove(time);
        PriceSum before = total.value();
        PriceSum after = before == null ? added : before.plus(added);
        total.update(after);
        out.collect(
                Result.line(
                        added.timeMicros,
                        context.getCurrentKey(),
                        after.average(),
                        after.count,
                        time));
    }
}
