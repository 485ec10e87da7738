// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.api.common.functions.MapFunction;

/** Query 1: each bid with its price in euros. No state. */
final class CurrencyConversion implements MapFunction<Event, Result> {
    private static final long serialVersionUID = 1L;

    @Override
    public Result map(Event event) {
        if (event instanceof Marker) {
            return Result.marker((Marker) event);
        }
        Bid bid = (Bid) event;
        long euroCents = bid.price * 908 / 1_000;
        return Result.line(bid.timeMicros, bid.auction, bid.bidder, euroCents, bid.time());
    }
}
