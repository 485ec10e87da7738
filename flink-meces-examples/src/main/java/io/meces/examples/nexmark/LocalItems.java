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
 * Query 3: joins persons with the auctions that they put up, whichever comes first, if their event
 * times are not too far apart. Keyed by person.
 *
 * <p>Keeps a person for the auctions to come, and auctions until their person has come; both no
 * longer than for that time.
 */
final class LocalItems extends KeyedCoProcessFunction<Long, Event, Event, Result> {
    private static final long serialVersionUID = 1L;

    /** That of the query. */
    private static final long CATEGORY = 10;

    private final long maxMillis;

    private transient ValueState<Person> person;
    private transient ListState<Auction> waiting;

    /**
     * A join.
     *
     * @param maxMillis how far apart a person and an auction may be
     */
    LocalItems(long maxMillis) {
        this.maxMillis = maxMillis;
    }

    /** Whether it is a person of a state that the query is about. */
    static boolean isLocal(Event event) {
        if (!(event instanceof Person)) {
            return false;
        }
        String state = ((Person) event).state;
        return state.equals("OR") || state.equals("ID") || state.equals("CA");
    }

    /** Whether it is an auction of the category that the query is about. */
    static boolean isOfCategory(Event event) {
        return event instanceof Auction && ((Auction) event).category == CATEGORY;
    }

    @Override
    public void open(Configuration parameters) {
        person =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "person", new EventType<>(Person.class)));
        waiting =
                getRuntimeContext()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "waiting-auctions", new EventType<>(Auction.class)));
    }

    @Override
    public void processElement1(Event event, Context context, Collector<Result> out)
            throws Exception {
        Person seller = (Person) event;
        person.update(seller);
        context.timerService().registerEventTimeTimer(seller.time() + maxMillis);
        for (Auction auction : waiting.get()) {
            join(seller, auction, out);
        }
        waiting.clear();
    }

    @Override
    public void processElement2(Event event, Context context, Collector<Result> out)
            throws Exception {
        if (event instanceof Marker) {
            out.collect(Result.marker((Marker) event));
            return;
        }
        Auction auction = (Auction) event;
        Person seller = person.value();
        if (seller != null) {
            join(seller, auction, out);
        } else {
            waiting.add(auction);
            context.timerService().registerEventTimeTimer(auction.time() + maxMillis);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Result> out) throws Exception {
        Person seller = person.value();
        if (seller != null && seller.time() + maxMillis <= time) {
            person.clear();
        }
        List<Auction> left = new ArrayList<>();
        for (Auction auction : waiting.get()) {
            if (auction.time() + maxMillis > time) {
                left.add(auction);
            }
        }
        // An empty list is no state.
        waiting.update(left);
    }

    private void join(Person seller, Auction auction, Collector<Result> out) {
        if (Math.abs(seller.time() - auction.time()) <= maxMillis) {
            out.collect(
                    Result.line(
                            Math.max(seller.timeMicros, auction.timeMicros),
                            seller.name,
                            seller.city,
                            seller.state,
                            auction.id));
        }
    }
}
