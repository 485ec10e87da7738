// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Query 6: the average price of the auctions that have ended in a window. Keyed by seller. */
final class SellerAverage extends ProcessWindowFunction<Event, Result, Long, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
            Long seller, Context context, Iterable<Event> aggregate, Collector<Result> out) {
        for (Event event : aggregate) {
            if (event instanceof Marker) {
                out.collect(Result.marker((Marker) event));
            } else {
                PriceSum prices = (PriceSum) event;
                out.collect(
                        Result.line(
                                prices.timeMicros,
                                context.window().getEnd(),
                                seller,
                                prices.average()));
            }
        }
    }

    /** Adds prices up. */
    static final class Sums extends Accumulation<WinningBid, PriceSum> {
        private static final long serialVersionUID = 1L;

        Sums() {
            super(WinningBid.class, PriceSum.class);
        }

        @Override
        PriceSum nothing() {
            return PriceSum.NOTHING;
        }

        @Override
        PriceSum plus(PriceSum sum, WinningBid bid) {
            return sum.plus(bid);
        }
    }
}
