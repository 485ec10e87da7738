// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.IOException;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Reads {@link Event}s from Kafka. */
final class EventSchema implements DeserializationSchema<Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public Event deserialize(byte[] message) throws IOException {
        return Event.fromBytes(message);
    }

    @Override
    public boolean isEndOfStream(Event nextElement) {
        return false;
    }

    @Override
    public TypeInformation<Event> getProducedType() {
        return EventType.ANY;
    }
}
