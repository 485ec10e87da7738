// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.Serializable;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;

/**
 * The queries as operators of Flink. Each keyed operator has a vertex of its own, so it can be
 * rescaled; what is before it is chained to the source, and sinks to the last one.
 */
final class Queries {
    static final TypeInformation<Result> RESULTS = TypeInformation.of(Result.class);

    private Queries() {}

    /**
     * Adds a query.
     *
     * @param events of {@link EventType#ANY}, with timestamps and watermarks
     * @return its results, and the markers among the events
     */
    static SingleOutputStreamOperator<Result> add(
            NexmarkQuery query, DataStream<Event> events, WindowLengths windows) {
        String first = query.operators().get(0);
        String last = query.operators().get(query.operators().size() - 1);
        switch (query) {
            case Q1:
                return named(last, bidsByAuction(events).map(new CurrencyConversion(), RESULTS));
            case Q2:
                return named(last, bidsByAuction(events).flatMap(new Selection(), RESULTS));
            case Q3:
                return named(last, localItems(events, windows));
            case Q4:
                return named(
                        last,
                        named(first, winningBids(events))
                                .keyBy(key(WinningBid.class, bid -> bid.category), Types.LONG)
                                .process(new CategoryAverage(), RESULTS));
            case Q5:
                return named(
                        last,
                        named(first, bidsPerAuction(events, windows))
                                .keyBy(key(BidCount.class, count -> count.windowEnd), Types.LONG)
                                .process(new HotItems(), RESULTS));
            case Q6:
                return named(
                        last,
                        named(first, winningBids(events))
                                .keyBy(key(WinningBid.class, bid -> bid.seller), Types.LONG)
                                .window(new MarkerWindows(sliding(windows)))
                                .aggregate(
                                        new SellerAverage.Sums(),
                                        new SellerAverage(),
                                        EventType.ANY,
                                        EventType.ANY,
                                        RESULTS));
            case Q7:
                return named(
                        last,
                        named(first, highestPerAuction(events, windows))
                                .keyBy(key(WinningBid.class, bid -> bid.end), Types.LONG)
                                .process(new HighestBid(), RESULTS));
            case Q8:
                return named(last, newUsers(events, windows));
            default:
                throw new IllegalArgumentException("There is no query " + query + ".");
        }
    }

    private static SingleOutputStreamOperator<Result> localItems(
            DataStream<Event> events, WindowLengths windows) {
        KeyedStream<Event, Long> persons =
                only(events, "local-persons", LocalItems::isLocal)
                        .keyBy(key(Person.class, person -> person.id), Types.LONG);
        KeyedStream<Event, Long> auctions =
                only(
                                events,
                                "auctions-of-category",
                                event -> event instanceof Marker || LocalItems.isOfCategory(event))
                        .keyBy(key(Auction.class, auction -> auction.seller), Types.LONG);
        return persons.connect(auctions).process(new LocalItems(windows.sizeMillis), RESULTS);
    }

    private static SingleOutputStreamOperator<Event> winningBids(DataStream<Event> events) {
        KeyedStream<Event, Long> auctions =
                only(events, "auctions", e -> e instanceof Auction || e instanceof Marker)
                        .keyBy(key(Auction.class, auction -> auction.id), Types.LONG);
        KeyedStream<Event, Long> bids =
                only(events, "bids", e -> e instanceof Bid)
                        .keyBy(key(Bid.class, bid -> bid.auction), Types.LONG);
        return auctions.connect(bids).process(new WinningBids(), EventType.ANY);
    }

    private static SingleOutputStreamOperator<Event> bidsPerAuction(
            DataStream<Event> events, WindowLengths windows) {
        return bidsByAuction(events)
                .window(new MarkerWindows(sliding(windows)))
                .aggregate(
                        new BidsPerAuction.Counts(),
                        new BidsPerAuction(),
                        EventType.ANY,
                        EventType.ANY,
                        EventType.ANY);
    }

    private static SingleOutputStreamOperator<Event> highestPerAuction(
            DataStream<Event> events, WindowLengths windows) {
        return bidsByAuction(events)
                .window(new MarkerWindows(tumbling(windows)))
                .aggregate(
                        new HighestPerAuction.Highest(),
                        new HighestPerAuction(),
                        EventType.ANY,
                        EventType.ANY,
                        EventType.ANY);
    }

    private static SingleOutputStreamOperator<Result> newUsers(
            DataStream<Event> events, WindowLengths windows) {
        return only(events, "persons-and-auctions", event -> !(event instanceof Bid))
                .keyBy(
                        event ->
                                event instanceof Person
                                        ? ((Person) event).id
                                        : sellerOrMarker(event),
                        Types.LONG)
                .window(new MarkerWindows(tumbling(windows)))
                .process(new NewUsers(), RESULTS);
    }

    private static KeyedStream<Event, Long> bidsByAuction(DataStream<Event> events) {
        return only(events, "bids", event -> event instanceof Bid || event instanceof Marker)
                .keyBy(key(Bid.class, bid -> bid.auction), Types.LONG);
    }

    private static long sellerOrMarker(Event event) {
        return event instanceof Auction ? ((Auction) event).seller : ((Marker) event).key();
    }

    private static SlidingEventTimeWindows sliding(WindowLengths windows) {
        return SlidingEventTimeWindows.of(
                Time.milliseconds(windows.sizeMillis), Time.milliseconds(windows.slideMillis));
    }

    private static TumblingEventTimeWindows tumbling(WindowLengths windows) {
        return TumblingEventTimeWindows.of(Time.milliseconds(windows.sizeMillis));
    }

    private static DataStream<Event> only(
            DataStream<Event> events, String name, FilterFunction<Event> which) {
        return events.filter(which).setParallelism(events.getParallelism()).name(name).uid(name);
    }

    private static <T> SingleOutputStreamOperator<T> named(
            String name, SingleOutputStreamOperator<T> operator) {
        return operator.name(name).uid(name);
    }

    private static <T extends Event> KeySelector<Event, Long> key(Class<T> type, Key<T> key) {
        return event ->
                event instanceof Marker
                        ? ((Marker) event).key()
                        : key.applyAsLong(type.cast(event));
    }

    /** The key of an event of a class. */
    private interface Key<T> extends ToLongFunction<T>, Serializable {}
}
