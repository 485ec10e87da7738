// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** Query 2: bids for auctions whose number is a multiple of 123. No state. */
final class Selection implements FlatMapFunction<Event, Result> {
    private static final long serialVersionUID = 1L;

    @Override
    public void flatMap(Event event, Collector<Result> out) {
        if (event instanceof Marker) {
            out.collect(Result.marker((Marker) event));
            return;
        }
        Bid bid = (Bid) event;
        if (bid.auction % 123 == 0) {
            out.collect(Result.line(bid.timeMicros, bid.auction, bid.price));
        }
    }
}
