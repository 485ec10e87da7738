// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Query 8: joins persons with the auctions that they put up in the same window, as Flink's window
 * join does: the window keeps both and is joined at its end. Keyed by person.
 */
final class NewUsers extends ProcessWindowFunction<Event, Result, Long, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Long key, Context context, Iterable<Event> events, Collector<Result> out) {
        List<Person> persons = new ArrayList<>();
        List<Auction> auctions = new ArrayList<>();
        for (Event event : events) {
            if (event instanceof Person) {
                persons.add((Person) event);
            } else if (event instanceof Auction) {
                auctions.add((Auction) event);
            } else {
                out.collect(Result.marker((Marker) event));
            }
        }
        for (Person person : persons) {
            for (Auction auction : auctions) {
                out.collect(
                        Result.line(
                                Math.max(person.timeMicros, auction.timeMicros),
                                context.window().getEnd(),
                                person.id,
                                person.name,
                                auction.id,
                                auction.reserve));
            }
        }
    }
}
