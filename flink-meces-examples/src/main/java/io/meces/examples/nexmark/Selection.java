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
