// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.io.DataInputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/** What is in a savepoint. Immutable. */
final class Savepoint {

    final String path;
    final long checkpointId;

    /** Per operator and key-group: how many bytes of keyed state there are. */
    final Map<String, Long> bytes;

    private Savepoint(String path, long checkpointId, Map<String, Long> bytes) {
        this.path = path;
        this.checkpointId = checkpointId;
        this.bytes = bytes;
    }

    static Savepoint read(String path) throws Exception {
        Path file = Paths.get(URI.create(path)).resolve("_metadata");
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            CheckpointMetadata metadata =
                    Checkpoints.loadCheckpointMetadata(in, Savepoint.class.getClassLoader(), path);
            Map<String, Long> bytes = new TreeMap<>();
            for (OperatorState operator : metadata.getOperatorStates()) {
                for (OperatorSubtaskState subtask : operator.getStates()) {
                    for (KeyedStateHandle handle : subtask.getManagedKeyedState()) {
                        if (handle instanceof KeyGroupsStateHandle) {
                            count(operator, (KeyGroupsStateHandle) handle, bytes);
                        }
                    }
                }
            }
            return new Savepoint(path, metadata.getCheckpointId(), bytes);
        }
    }

    /**
     * Several subtasks may have written a key-group, all but one of them without entries: the
     * longest counts.
     */
    private static void count(
            OperatorState operator, KeyGroupsStateHandle handle, Map<String, Long> bytes) {
        // RocksDB has an offset of 0 for a key-group without entries
        long[] ends =
                LongStream.concat(
                                offsets(handle).filter(offset -> offset > 0),
                                LongStream.of(handle.getStateSize()))
                        .sorted()
                        .toArray();
        for (Tuple2<Integer, Long> keyGroup : handle.getGroupRangeOffsets()) {
            if (keyGroup.f1 > 0) {
                long end = ends[Arrays.binarySearch(ends, keyGroup.f1) + 1];
                bytes.merge(
                        operator.getOperatorID() + "/" + keyGroup.f0, end - keyGroup.f1, Math::max);
            }
        }
    }

    private static LongStream offsets(KeyGroupsStateHandle handle) {
        return StreamSupport.stream(handle.getGroupRangeOffsets().spliterator(), false)
                .mapToLong(keyGroup -> keyGroup.f1);
    }
}
