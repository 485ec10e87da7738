// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * The type of events for Flink.
 *
 * @param <T> which events
 */
final class EventType<T extends Event> extends TypeInformation<T> {
    private static final long serialVersionUID = 1L;

    /** Events of any class. */
    static final EventType<Event> ANY = new EventType<>(Event.class);

    private final Class<T> type;

    EventType(Class<T> type) {
        this.type = type;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return type;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<T> createSerializer(ExecutionConfig config) {
        return new EventSerializer<>();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof EventType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EventType && ((EventType<?>) other).type == type;
    }

    @Override
    public int hashCode() {
        return type.hashCode();
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }
}
