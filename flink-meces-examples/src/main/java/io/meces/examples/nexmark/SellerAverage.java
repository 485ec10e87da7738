/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
