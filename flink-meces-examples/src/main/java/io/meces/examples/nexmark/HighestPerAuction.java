// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Query 7: the highest bid for an auction in a window. Keyed by auction. */
final class HighestPerAuction extends ProcessWindowFunction<Event, Event, Long, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
            Long auction, Context context, Iterable<Event> aggregate, Collector<Event> out) {
        for (Event event : aggregate) {
            out.collect(
                    event instanceof Marker
                            ? event
                            : ((WinningBid) event).in(context.window().getEnd()));
        }
    }

    /** Finds it. */
    static final class Highest extends Accumulation<Bid, WinningBid> {
        private static final long serialVersionUID = 1L;

        Highest() {
            super(Bid.class, WinningBid.class);
        }

        @Override
        WinningBid nothing() {
            return new WinningBid(0, 0, 0, 0, 0, -1, 0, 0);
        }

        @Override
        WinningBid plus(WinningBid highest, Bid bid) {
            boolean same = highest.beats(bid);
            return new WinningBid(
                    bid.auction,
                    0,
                    0,
                    0,
                    same ? highest.bidder : bid.bidder,
                    same ? highest.price : bid.price,
                    same ? highest.bidTime : bid.time(),
                    Math.max(highest.timeMicros, bid.timeMicros));
        }
    }
}
