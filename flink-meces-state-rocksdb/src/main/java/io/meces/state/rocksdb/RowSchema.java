// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.state.Compatibility;
import io.meces.state.SchemaCheck;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.util.StateMigrationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What rows that move as bytes have been written with. Task thread. */
@SuppressWarnings({"rawtypes", "unchecked"})
final class RowSchema {

    private static final Logger LOG = LoggerFactory.getLogger(RowSchema.class);

    private RowSchema() {}

    /**
     * A state of a donor. Rows of a state that is not registered yet are as they were restored,
     * whatever the serializer that reads them calls itself.
     */
    static StateMetaInfoSnapshot of(RegisteredKeyValueStateBackendMetaInfo state) {
        return SchemaCheck.isNotRegisteredYet(state)
                ? SchemaCheck.withValue(
                        state.snapshot(), state.getPreviousStateSerializerSnapshot())
                : state.snapshot();
    }

    /**
     * Whether a receiver reads rows as the donor would.
     *
     * @param owner names the receiver
     * @throws StateMigrationException if it does not
     */
    static void check(
            String owner,
            SchemaCheck check,
            StateMetaInfoSnapshot donor,
            RegisteredKeyValueStateBackendMetaInfo receiver)
            throws StateMigrationException {
        RegisteredKeyValueStateBackendMetaInfo goesOnWith = check.state(donor, receiver);
        TypeSerializerSnapshot rows =
                donor.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER);
        if (areAsRestored(receiver, rows)) {
            return;
        }
        if (goesOnWith != receiver
                || Compatibility.of(rows, receiver.getStateSerializer())
                        .isCompatibleAfterMigration()) {
            throw new StateMigrationException(
                    owner
                            + " cannot take over state '"
                            + donor.getName()
                            + "': the donor writes it otherwise than this subtask ("
                            + receiver.getStateSerializer()
                            + "), as after a restore with another version of a class, or with"
                            + " classes registered with Kryo in another order, if not all subtasks"
                            + " have asked for the state since. State on disk moves as it is: ask"
                            + " for the state in open().");
        }
    }

    /** Whether neither side has registered the state since a restore from the same format. */
    private static boolean areAsRestored(
            RegisteredKeyValueStateBackendMetaInfo receiver, TypeSerializerSnapshot rows) {
        if (!SchemaCheck.isNotRegisteredYet(receiver)) {
            return false;
        }
        try {
            return Arrays.equals(
                    SchemaCheck.bytes(rows),
                    SchemaCheck.bytes(receiver.getPreviousStateSerializerSnapshot()));
        } catch (RuntimeException e) {
            // those of Flink 1.6 cannot be written without their serializer
            LOG.debug("{} cannot be compared", rows, e);
            return false;
        }
    }
}
