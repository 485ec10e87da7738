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
