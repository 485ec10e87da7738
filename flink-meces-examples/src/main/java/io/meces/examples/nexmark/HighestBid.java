// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Query 7: the highest bid of a window from the highest ones of its auctions; of equal ones the
 * earliest, and of these that of the auction with the least number. Keyed by the end of the window.
 *
 * <p>Keeps the highest one so far, until the window ends.
 */
final class HighestBid extends KeyedProcessFunction<Long, Event, Result> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<WinningBid> highest;

    /** When the last bid of the window was to be sent. */
    private transient ValueState<Long> lastMicros;

    @Override
    public void open(Configuration parameters) {
        highest =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "highest", new EventType<>(WinningBid.class)));
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
        WinningBid bid = (WinningBid) event;
        WinningBid before = highest.value();
        if (before == null) {
            highest.update(bid);
            lastMicros.update(bid.timeMicros);
            context.timerService().registerEventTimeTimer(bid.end - 1);
        } else {
            highest.update(isHigher(bid, before) ? bid : before);
            lastMicros.update(Math.max(lastMicros.value(), bid.timeMicros));
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Result> out) throws Exception {
        WinningBid bid = highest.value();
        out.collect(Result.line(lastMicros.value(), bid.end, bid.auction, bid.bidder, bid.price));
        highest.clear();
        lastMicros.clear();
    }

    private static boolean isHigher(WinningBid bid, WinningBid other) {
        if (bid.price != other.price) {
            return bid.price > other.price;
        }
        return bid.bidTime != other.bidTime
                ? bid.bidTime < other.bidTime
                : bid.auction < other.auction;
    }
}
