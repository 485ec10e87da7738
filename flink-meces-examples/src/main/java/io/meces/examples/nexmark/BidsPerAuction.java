// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Query 5: how many bids an auction has got in a window. Keyed by auction. */
final class BidsPerAuction extends ProcessWindowFunction<Event, Event, Long, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
            Long auction, Context context, Iterable<Event> aggregate, Collector<Event> out) {
        for (Event event : aggregate) {
            out.collect(
                    event instanceof Marker
                            ? event
                            : ((BidCount) event).in(context.window().getEnd()));
        }
    }

    /** Counts. */
    static final class Counts extends Accumulation<Bid, BidCount> {
        private static final long serialVersionUID = 1L;

        Counts() {
            super(Bid.class, BidCount.class);
        }

        @Override
        BidCount nothing() {
            return BidCount.NONE;
        }

        @Override
        BidCount plus(BidCount count, Bid bid) {
            return new BidCount(
                    bid.auction, 0, count.count + 1, Math.max(count.timeMicros, bid.timeMicros));
        }
    }
}
