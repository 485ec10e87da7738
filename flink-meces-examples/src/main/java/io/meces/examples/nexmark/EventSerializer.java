// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes events as they stand in Kafka. Events are immutable, so a copy is the event itself.
 *
 * @param <T> which events
 */
final class EventSerializer<T extends Event> extends TypeSerializerSingleton<T> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    /** There is no event without data. */
    @Override
    public T createInstance() {
        return null;
    }

    @Override
    public T copy(T from) {
        return from;
    }

    @Override
    public T copy(T from, T reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(T event, DataOutputView target) throws IOException {
        event.write(target);
    }

    /** The job's types say which events a stream or a state has, so the cast cannot fail. */
    @Override
    @SuppressWarnings("unchecked")
    public T deserialize(DataInputView source) throws IOException {
        return (T) Event.read(source);
    }

    @Override
    public T deserialize(T reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        Event.read(source).write(target);
    }

    @Override
    public TypeSerializerSnapshot<T> snapshotConfiguration() {
        return new Snapshot<>();
    }

    /**
     * For checkpoints.
     *
     * @param <T> which events
     */
    public static final class Snapshot<T extends Event> extends SimpleTypeSerializerSnapshot<T> {

        /** For Flink. */
        public Snapshot() {
            super(EventSerializer::new);
        }
    }
}
