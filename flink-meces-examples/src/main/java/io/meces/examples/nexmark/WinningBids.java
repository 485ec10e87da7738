// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Queries 4 and 6: the winner of each auction when it ends. That is the highest bid of at least the
 * reserve price from when the auction begins to before it ends; of equal ones the earliest. Keyed
 * by auction.
 *
 * <p>Keeps auctions until their end, the best bid so far, and bids that come before their auction
 * until it can come no more.
 */
final class WinningBids extends KeyedCoProcessFunction<Long, Event, Event, Event> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Auction> auction;
    private transient ValueState<WinningBid> best;
    private transient ListState<Bid> early;

    @Override
    public void open(Configuration parameters) {
        auction =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "auction", new EventType<>(Auction.class)));
        best =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "best-bid", new EventType<>(WinningBid.class)));
        early =
                getRuntimeContext()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "early-bids", new EventType<>(Bid.class)));
    }

    @Override
    public void processElement1(Event event, Context context, Collector<Event> out)
            throws Exception {
        if (event instanceof Marker) {
            out.collect(event);
            return;
        }
        Auction begun = (Auction) event;
        auction.update(begun);
        context.timerService().registerEventTimeTimer(begun.expires);
        for (Bid bid : early.get()) {
            take(bid, begun);
        }
        early.clear();
    }

    @Override
    public void processElement2(Event event, Context context, Collector<Event> out)
            throws Exception {
        Bid bid = (Bid) event;
        Auction open = auction.value();
        if (open != null) {
            take(bid, open);
        } else {
            early.add(bid);
            context.timerService().registerEventTimeTimer(bid.time());
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Event> out) throws Exception {
        Auction open = auction.value();
        if (open == null) {
            forgetEarlyBids(time);
        } else if (open.expires <= time) {
            WinningBid winner = best.value();
            if (winner != null) {
                out.collect(winner);
            }
            auction.clear();
            best.clear();
        }
    }

    /** An auction that is not there at this time begins after it, or has ended. */
    private void forgetEarlyBids(long time) throws Exception {
        List<Bid> left = new ArrayList<>();
        for (Bid bid : early.get()) {
            if (bid.time() > time) {
                left.add(bid);
            }
        }
        early.update(left);
    }

    private void take(Bid bid, Auction open) throws Exception {
        if (bid.price < open.reserve || bid.time() < open.time() || bid.time() >= open.expires) {
            return;
        }
        WinningBid before = best.value();
        long lastMicros =
                Math.max(bid.timeMicros, before == null ? open.timeMicros : before.timeMicros);
        boolean same = before != null && before.beats(bid);
        best.update(
                new WinningBid(
                        open.id,
                        open.category,
                        open.seller,
                        open.expires,
                        same ? before.bidder : bid.bidder,
                        same ? before.price : bid.price,
                        same ? before.bidTime : bid.time(),
                        lastMicros));
    }
}
