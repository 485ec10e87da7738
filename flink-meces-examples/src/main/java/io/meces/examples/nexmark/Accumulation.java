// SPDX-License-Identifier: Apache-2.0
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
