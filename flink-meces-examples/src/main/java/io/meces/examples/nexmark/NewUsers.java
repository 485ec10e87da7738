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
