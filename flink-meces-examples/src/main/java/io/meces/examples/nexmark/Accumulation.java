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

import org.apache.flink.api.common.functions.AggregateFunction;

/**
 * Aggregates the records of a window. A marker, which has its window for itself, becomes the
 * aggregate.
 *
 * @param <T> the records
 * @param <A> the aggregate
 */
abstract class Accumulation<T extends Event, A extends Event>
        implements AggregateFunction<Event, Event, Event> {
    private static final long serialVersionUID = 1L;

    private final Class<T> records;
    private final Class<A> aggregates;

    Accumulation(Class<T> records, Class<A> aggregates) {
        this.records = records;
        this.aggregates = aggregates;
    }

    abstract A nothing();

    abstract A plus(A aggregate, T record);

    @Override
    public Event createAccumulator() {
        return nothing();
    }

    @Override
    public Event add(Event event, Event aggregate) {
        return event instanceof Marker
                ? event
                : plus(aggregates.cast(aggregate), records.cast(event));
    }

    @Override
    public Event getResult(Event aggregate) {
        return aggregate;
    }

    @Override
    public Event merge(Event one, Event other) {
        throw new UnsupportedOperationException("Only session windows merge.");
    }
}
