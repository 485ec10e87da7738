// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.Compatibility;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.util.StateMigrationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a receiver can take the entries of a donor: the rules by which Flink's heap backend takes
 * restored state. Task thread.
 *
 * <p>And with which serializers the receiver goes on. All owners of a state have to write it in one
 * format: a restore reads what several of them have written with the serializers of one (in Flink,
 * those of the first handle). A subtask that was restored may have serializers that Flink has
 * reconfigured, such as one of an enum that got a constant in the middle; a subtask that is new has
 * those of the code. So a receiver takes over what the donor has.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class SchemaCheck {

    private static final Logger LOG = LoggerFactory.getLogger(SchemaCheck.class);

    private final String owner;

    /** A check for the backend of that name. */
    SchemaCheck(String owner) {
        this.owner = owner;
    }

    /**
     * What the receiver has to go on with; the same object if nothing changes.
     *
     * @throws StateMigrationException if the receiver cannot take the donor's entries
     */
    public RegisteredKeyValueStateBackendMetaInfo state(
            StateMetaInfoSnapshot donor, RegisteredKeyValueStateBackendMetaInfo receiver)
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
        TypeSerializerSnapshot donorValue =
                donor.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER);
        TypeSerializer namespace =
                mustNotMigrate(
                        state,
                        "namespace",
                        donor.getTypeSerializerSnapshot(CommonSerializerKeys.NAMESPACE_SERIALIZER),
                        receiver.getNamespaceSerializer());
        if (isNotRegisteredYet(receiver)) {
            TypeSerializerSnapshot newer = newer(receiver, donorValue);
            if (newer != null) {
                return new RegisteredKeyValueStateBackendMetaInfo(withValue(donor, newer));
            }
        }
        TypeSerializer value =
                mustBeCompatible(state, "state", donorValue, receiver.getStateSerializer());
        if (namespace == receiver.getNamespaceSerializer()
                && value == receiver.getStateSerializer()) {
            return receiver;
        }
        RegisteredKeyValueStateBackendMetaInfo changed =
                new RegisteredKeyValueStateBackendMetaInfo(
                        type,
                        receiver.getName(),
                        namespace,
                        value,
                        receiver.getStateSnapshotTransformFactory());
        return isNotRegisteredYet(receiver)
                ? new RegisteredKeyValueStateBackendMetaInfo(changed.snapshot())
                : changed;
    }

    void queue(StateMetaInfoSnapshot donor, RegisteredPriorityQueueStateBackendMetaInfo<?> receiver)
            throws StateMigrationException {
        // that of a queue is never reconfigured: Flink goes on with the new one
        mustBeCompatible(
                "timer queue '" + donor.getName() + "'",
                "timer",
                donor.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER),
                receiver.getElementSerializer());
    }

    /** For keys, whose serializer a backend has for good. */
    void keys(TypeSerializerSnapshot donor, TypeSerializer receiver)
            throws StateMigrationException {
        if (mustNotMigrate("the keys", "key", donor, receiver) != receiver) {
            throw new StateMigrationException(
                    owner
                            + " cannot take over the keys: the donor's serializer was reconfigured"
                            + " when it was restored, and may write them otherwise than that of a"
                            + " new subtask ("
                            + receiver
                            + "), as when the constants of an enum in them, or what is registered"
                            + " with Kryo, have another order than before. Such a job can be"
                            + " rescaled by a savepoint only.");
        }
    }

    // ------------------------------------------------------------------------
    //  State that the operator has not registered here yet
    // ------------------------------------------------------------------------

    /** Whether it was restored, or has come from a donor, and nothing else is known of it. */
    public static boolean isNotRegisteredYet(RegisteredKeyValueStateBackendMetaInfo<?, ?> info) {
        return info.getPreviousStateSerializerSnapshot() != null
                && info.getStateSerializer() == info.getPreviousStateSerializer();
    }

    /**
     * What the donor writes, if it can follow on what this backend has; else null: either may be
     * the older one, as the donor, too, may not have registered the state yet.
     */
    @Nullable
    private static TypeSerializerSnapshot newer(
            RegisteredKeyValueStateBackendMetaInfo receiver, TypeSerializerSnapshot donor) {
        TypeSerializerSchemaCompatibility result;
        try {
            result = Compatibility.of(receiver.getPreviousStateSerializerSnapshot(), donor);
        } catch (RuntimeException e) {
            // such as that of POJOs, if it is asked about what is older than itself; whether the
            // donor's entries can be taken at all is asked the other way round then
            LOG.debug("{} does not follow on {}", donor, receiver, e);
            return null;
        }
        if (result.isCompatibleAfterMigration()) {
            return donor;
        }
        if (result.isCompatibleWithReconfiguredSerializer()
                && !isSameFormat(
                        receiver.getStateSerializer(), result.getReconfiguredSerializer())) {
            return result.getReconfiguredSerializer().snapshotConfiguration();
        }
        return null;
    }

    /** With another serializer of the values. */
    public static StateMetaInfoSnapshot withValue(
            StateMetaInfoSnapshot info, TypeSerializerSnapshot value) {
        Map<String, TypeSerializerSnapshot<?>> serializers =
                new HashMap<>(info.getSerializerSnapshotsImmutable());
        serializers.put(CommonSerializerKeys.VALUE_SERIALIZER.toString(), value);
        // without these a snapshot cannot be written; one that was read has none
        Map<String, TypeSerializer<?>> writers = new HashMap<>();
        for (String key : serializers.keySet()) {
            writers.put(key, info.getTypeSerializer(key));
        }
        return new StateMetaInfoSnapshot(
                info.getName(),
                info.getBackendStateType(),
                info.getOptionsImmutable(),
                serializers,
                writers);
    }

    // ------------------------------------------------------------------------
    //  Serializers
    // ------------------------------------------------------------------------

    /** For what is compared by equality: keys and namespaces. */
    private TypeSerializer mustNotMigrate(
            String what, String kind, TypeSerializerSnapshot donor, TypeSerializer receiver)
            throws StateMigrationException {
        TypeSerializerSchemaCompatibility result = Compatibility.of(donor, receiver);
        if (result.isIncompatible() || result.isCompatibleAfterMigration()) {
            throw incompatible(what, kind, donor, receiver);
        }
        return toGoOnWith(result, receiver);
    }

    private TypeSerializer mustBeCompatible(
            String what, String kind, TypeSerializerSnapshot donor, TypeSerializer receiver)
            throws StateMigrationException {
        TypeSerializerSchemaCompatibility result = Compatibility.of(donor, receiver);
        if (result.isIncompatible()) {
            throw incompatible(what, kind, donor, receiver);
        }
        return toGoOnWith(result, receiver);
    }

    private static TypeSerializer toGoOnWith(
            TypeSerializerSchemaCompatibility result, TypeSerializer receiver) {
        if (!result.isCompatibleWithReconfiguredSerializer()) {
            return receiver;
        }
        TypeSerializer reconfigured = result.getReconfiguredSerializer();
        return isSameFormat(receiver, reconfigured) ? receiver : reconfigured;
    }

    /**
     * Whether they write the same. No serializer tells: that of an enum, asked, compares with the
     * class only. Those of POJOs that have met subclasses which are not registered remember them,
     * and call themselves reconfigured; that says nothing of the format, and duplicates forget it.
     */
    private static boolean isSameFormat(TypeSerializer before, TypeSerializer after) {
        return Arrays.equals(
                bytes(before.duplicate().snapshotConfiguration()),
                bytes(after.duplicate().snapshotConfiguration()));
    }

    /** All that it has. */
    public static byte[] bytes(TypeSerializerSnapshot snapshot) {
        DataOutputSerializer out = new DataOutputSerializer(256);
        try {
            TypeSerializerSnapshot.writeVersionedSnapshot(out, snapshot);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write " + snapshot, e);
        }
        return out.getCopyOfBuffer();
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
