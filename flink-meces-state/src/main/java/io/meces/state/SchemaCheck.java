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

package io.meces.state;

import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.util.StateMigrationException;

/**
 * Whether a receiver can take the entries of a donor: the rules by which Flink's heap backend takes
 * restored state. Task thread.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
final class SchemaCheck {

    private final String owner;

    /** A check for the backend of that name. */
    SchemaCheck(String owner) {
        this.owner = owner;
    }

    void state(StateMetaInfoSnapshot donor, RegisteredKeyValueStateBackendMetaInfo<?, ?> receiver)
            throws StateMigrationException {
        String state = "state '" + donor.getName() + "'";
        StateDescriptor.Type donorType =
                StateDescriptor.Type.valueOf(donor.getOption(CommonOptionsKeys.KEYED_STATE_TYPE));
        StateDescriptor.Type type = receiver.getStateType();
        if (type != donorType
                && type != StateDescriptor.Type.UNKNOWN
                && donorType != StateDescriptor.Type.UNKNOWN) {
            throw new StateMigrationException(
                    owner + " has " + state + " as " + type + ", the donor as " + donorType);
        }
        mustNotMigrate(
                state,
                "namespace",
                donor.getTypeSerializerSnapshot(CommonSerializerKeys.NAMESPACE_SERIALIZER),
                receiver.getNamespaceSerializer());
        mustBeCompatible(
                state,
                "state",
                donor.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER),
                receiver.getStateSerializer());
    }

    void queue(StateMetaInfoSnapshot donor, RegisteredPriorityQueueStateBackendMetaInfo<?> receiver)
            throws StateMigrationException {
        mustBeCompatible(
                "timer queue '" + donor.getName() + "'",
                "timer",
                donor.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER),
                receiver.getElementSerializer());
    }

    /** For what is compared by equality: keys and namespaces. */
    void mustNotMigrate(
            String what, String kind, TypeSerializerSnapshot donor, TypeSerializer receiver)
            throws StateMigrationException {
        TypeSerializerSchemaCompatibility result = donor.resolveSchemaCompatibility(receiver);
        if (result.isIncompatible() || result.isCompatibleAfterMigration()) {
            throw incompatible(what, kind, donor, receiver);
        }
    }

    private void mustBeCompatible(
            String what, String kind, TypeSerializerSnapshot donor, TypeSerializer receiver)
            throws StateMigrationException {
        if (donor.resolveSchemaCompatibility(receiver).isIncompatible()) {
            throw incompatible(what, kind, donor, receiver);
        }
    }

    private StateMigrationException incompatible(
            String what, String kind, TypeSerializerSnapshot donor, TypeSerializer receiver) {
        return new StateMigrationException(
                owner
                        + " cannot take over "
                        + what
                        + ": its "
                        + kind
                        + " serializer ("
                        + receiver
                        + ") is not compatible with the donor's ("
                        + donor.restoreSerializer()
                        + ").");
    }
}
