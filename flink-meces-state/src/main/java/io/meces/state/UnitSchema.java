// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * The states and timer queues of a donor, as its units refer to them: by index, with the
 * serializers to read them with.
 *
 * <p>Made by {@link UnitStore#readSchema}, which has checked it against the states of the receiver.
 * Serializers are not thread-safe, so a schema is used by the receiver's task thread only.
 */
public final class UnitSchema {

    private final UnitStore receiver;
    private final int version;
    private final TypeSerializer<?> keySerializer;
    private final List<Slot> slots;

    UnitSchema(UnitStore receiver, int version, TypeSerializer<?> keySerializer, List<Slot> slots) {
        this.receiver = receiver;
        this.version = version;
        this.keySerializer = keySerializer;
        this.slots = slots;
    }

    /** The donor's {@link UnitStore#schemaVersion()} at the time of writing. */
    public int version() {
        return version;
    }

    /** Number of states and timer queues. */
    public int size() {
        return slots.size();
    }

    /** Where it was read: only there all states are known. */
    UnitStore receiver() {
        return receiver;
    }

    TypeSerializer<?> keySerializer() {
        return keySerializer;
    }

    Slot slot(int index) {
        return slots.get(index);
    }

    /** One state or timer queue of the donor. */
    public static final class Slot {

        final StateMetaInfoSnapshot metaInfo;
        private TypeSerializer<?> namespaceSerializer;
        private TypeSerializer<?> valueSerializer;

        Slot(StateMetaInfoSnapshot metaInfo) {
            this.metaInfo = metaInfo;
        }

        public String name() {
            return metaInfo.getName();
        }

        boolean isTimerQueue() {
            return metaInfo.getBackendStateType()
                    == StateMetaInfoSnapshot.BackendStateType.PRIORITY_QUEUE;
        }

        /** Reads the donor's namespaces; key/value states only. */
        TypeSerializer<?> namespaceSerializer() {
            if (namespaceSerializer == null) {
                namespaceSerializer = restore(CommonSerializerKeys.NAMESPACE_SERIALIZER);
            }
            return namespaceSerializer;
        }

        /** Reads the donor's states or timers. */
        TypeSerializer<?> valueSerializer() {
            if (valueSerializer == null) {
                valueSerializer = restore(CommonSerializerKeys.VALUE_SERIALIZER);
            }
            return valueSerializer;
        }

        private TypeSerializer<?> restore(CommonSerializerKeys key) {
            return metaInfo.getTypeSerializerSnapshot(key).restoreSerializer();
        }
    }
}
