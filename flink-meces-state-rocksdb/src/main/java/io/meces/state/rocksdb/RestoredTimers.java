// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.state.UnitKeyContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.StateMigrationException;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Takes timers that a checkpoint has in RocksDB out of it. Its queues are column families; a timer
 * is a key there, behind that of its key-group. Owned by the task thread.
 */
final class RestoredTimers {

    private final RocksDB db;
    private final Map<String, RocksDbKvStateInfo> states;
    private final UnitKeyContext<?> keyContext;
    private final int prefixLength;

    /**
     * What has been dropped. Without a reference to it Java may close it in a thread of its own,
     * while the database is being closed.
     */
    private final List<RocksDbKvStateInfo> dropped = new ArrayList<>();

    RestoredTimers(
            RocksDB db,
            Map<String, RocksDbKvStateInfo> states,
            UnitKeyContext<?> keyContext,
            int prefixLength) {
        this.db = db;
        this.states = states;
        this.keyContext = keyContext;
        this.prefixLength = prefixLength;
    }

    /**
     * Takes those of a queue, if there are any.
     *
     * @param serializer with which they go on
     */
    <T> void take(String queueName, TypeSerializer<T> serializer, Consumer<T> queue) {
        RocksDbKvStateInfo info = states.get(queueName);
        RegisteredPriorityQueueStateBackendMetaInfo<T> metaInfo = queueOf(info);
        if (metaInfo == null) {
            return;
        }
        TypeSerializer<T> previous = metaInfo.getPreviousElementSerializer();
        try {
            if (metaInfo.updateElementSerializer(serializer).isIncompatible()) {
                throw new StateMigrationException(
                        "The serializer of timers '"
                                + queueName
                                + "' is not compatible with the restored one.");
            }
            read(info, previous == null ? serializer : previous, queue);
            db.dropColumnFamily(info.columnFamilyHandle);
        } catch (RocksDBException | IOException | StateMigrationException e) {
            throw new FlinkRuntimeException(
                    "Cannot take over the timers '" + queueName + "' from RocksDB", e);
        }
        // RocksDB 5.17 has given up the handle by that
        dropped.add(states.remove(queueName));
    }

    @Nullable
    @SuppressWarnings("unchecked")
    private static <T> RegisteredPriorityQueueStateBackendMetaInfo<T> queueOf(
            @Nullable RocksDbKvStateInfo info) {
        return info != null && info.metaInfo instanceof RegisteredPriorityQueueStateBackendMetaInfo
                ? (RegisteredPriorityQueueStateBackendMetaInfo<T>) info.metaInfo
                : null;
    }

    private <T> void read(RocksDbKvStateInfo info, TypeSerializer<T> serializer, Consumer<T> queue)
            throws IOException, RocksDBException {
        DataInputDeserializer in = new DataInputDeserializer();
        try (ReadOptions options = new ReadOptions().setTotalOrderSeek(true);
                RocksIterator timers = db.newIterator(info.columnFamilyHandle, options)) {
            for (timers.seekToFirst(); timers.isValid(); timers.next()) {
                byte[] key = timers.key();
                in.setBuffer(key, prefixLength, key.length - prefixLength);
                T timer = serializer.deserialize(in);
                int keyGroup =
                        KeyGroupRangeAssignment.assignToKeyGroup(
                                ((Keyed<?>) timer).getKey(), keyContext.getNumberOfKeyGroups());
                // others have come with the files that they are in
                if (keyContext.owns(keyGroup, 0)) {
                    queue.accept(timer);
                }
            }
            timers.status();
        }
    }
}
