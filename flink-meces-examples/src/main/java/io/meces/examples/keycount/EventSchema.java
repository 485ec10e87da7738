// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Reads {@link Event}s from Kafka. */
public final class EventSchema implements DeserializationSchema<Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public Event deserialize(byte[] message) {
        Event event = Event.fromBytes(message);
        event.readMicros = EpochMicros.now();
        return event;
    }

    @Override
    public boolean isEndOfStream(Event nextElement) {
        return false;
    }

    @Override
    public TypeInformation<Event> getProducedType() {
        return TypeInformation.of(Event.class);
    }
}
