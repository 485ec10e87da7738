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
