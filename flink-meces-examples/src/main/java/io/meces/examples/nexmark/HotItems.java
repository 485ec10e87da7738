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

import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Query 5: the auctions with the most bids of a window. Keyed by the end of the window.
 *
 * <p>Keeps those that have the most so far, until the window ends.
 */
final class HotItems extends KeyedProcessFunction<Long, Event, Result> {
    private static final long serialVersionUID = 1L;

    private transient ListState<BidCount> most;

    /** When the last bid of the window was to be sent. */
    private transient ValueState<Long> lastMicros;

    @Override
    public void open(Configuration parameters) {
        most =
                getRuntimeContext()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "most-bids", new EventType<>(BidCount.class)));
        lastMicros =
                getRuntimeContext().getState(new ValueStateDescriptor<>("last-micros", Types.LONG));
    }

    @Override
    public void processElement(Event event, Context context, Collector<Result> out)
            throws Exception {
        if (event instanceof Marker) {
            out.collect(Result.marker((Marker) event));
            return;
        }
        BidCount count = (BidCount) event;
        long before = 0;
        for (BidCount one : most.get()) {
            // They are all equal.
            before = one.count;
            break;
        }
        Long last = lastMicros.value();
        lastMicros.update(last == null ? count.timeMicros : Math.max(last, count.timeMicros));
        if (before == 0) {
            context.timerService().registerEventTimeTimer(count.windowEnd - 1);
        }
        if (count.count > before) {
            most.clear();
        }
        if (count.count >= before) {
            most.add(count);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Result> out) throws Exception {
        for (BidCount count : most.get()) {
            out.collect(
                    Result.line(lastMicros.value(), count.windowEnd, count.auction, count.count));
        }
        most.clear();
        lastMicros.clear();
    }
}
