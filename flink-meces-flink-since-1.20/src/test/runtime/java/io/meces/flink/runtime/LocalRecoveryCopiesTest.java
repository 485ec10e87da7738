// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.FileOutputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.DirectoryStateHandle;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.TaskLocalStateStoreImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which copies a subtask takes for what it is to restore. */
class LocalRecoveryCopiesTest {

    private static final long CHECKPOINT = 7;
    private static final KeyGroupRange ALL = KeyGroupRange.of(0, 3);
    private static final long[] OFFSETS = {10, 20, 30, 40};

    private final OperatorID operator = new OperatorID();
    private final UUID backend = UUID.randomUUID();

    @TempDir private Path directory;

    private static StreamStateHandle file(String name) {
        return new FileStateHandle(new org.apache.flink.core.fs.Path("file:///" + name), 50);
    }

    private static KeyGroupsStateHandle keyGroups(StreamStateHandle in) {
        return new KeyGroupsStateHandle(new KeyGroupRangeOffsets(ALL, OFFSETS), in);
    }

    private IncrementalRemoteKeyedStateHandle files(UUID of, KeyGroupRange range, long checkpoint) {
        return new IncrementalRemoteKeyedStateHandle(
                of,
                range,
                checkpoint,
                Collections.emptyList(),
                Collections.emptyList(),
                file("description"));
    }

    private IncrementalLocalKeyedStateHandle copyOfFiles() {
        return new IncrementalLocalKeyedStateHandle(
                backend,
                CHECKPOINT,
                new DirectoryStateHandle(directory, 50),
                ALL,
                file("copy"),
                Collections.emptyList());
    }

    private static OperatorSubtaskState state(KeyedStateHandle... handles) {
        return OperatorSubtaskState.builder()
                .setManagedKeyedState(new StateObjectCollection<>(java.util.Arrays.asList(handles)))
                .build();
    }

    private TaskStateSnapshot snapshot(KeyedStateHandle handle) {
        TaskStateSnapshot snapshot = new TaskStateSnapshot();
        snapshot.putSubtaskStateByOperatorID(operator, state(handle));
        return snapshot;
    }

    private LocalRecoveryConfig config() {
        return LocalRecoveryConfig.backupAndRecoveryEnabled(
                new LocalSnapshotDirectoryProviderImpl(
                        directory.toFile(), new JobID(), new JobVertexID(), 0));
    }

    /** What is kept when a subtask has stored its state, and found when it is to restore others. */
    private List<KeyedStateHandle> found(
            KeyedStateHandle stored, KeyedStateHandle copy, KeyedStateHandle... named)
            throws Exception {
        LocalRecoveryConfig config = config();
        File folder =
                config.getLocalStateDirectoryProvider()
                        .get()
                        .subtaskSpecificCheckpointDirectory(CHECKPOINT);
        assertThat(folder.mkdirs()).isTrue();
        try (ObjectOutputStream out =
                new ObjectOutputStream(
                        new FileOutputStream(
                                new File(
                                        folder,
                                        TaskLocalStateStoreImpl.TASK_STATE_SNAPSHOT_FILENAME)))) {
            out.writeObject(LocalRecovery.copies(snapshot(stored), snapshot(copy)));
        }
        List<OperatorSubtaskState> found =
                LocalRecovery.find(config, CHECKPOINT, operator, state(named));
        assertThat(LocalRecovery.find(config, CHECKPOINT + 1, operator, state(named))).isEmpty();
        return found.isEmpty()
                ? Collections.emptyList()
                : new java.util.ArrayList<>(found.get(0).getManagedKeyedState());
    }

    @Test
    void whateverIsNamedOfAFileIsReadFromItsCopy() throws Exception {
        KeyGroupsStateHandle stored = keyGroups(file("stored"));
        KeyGroupsStateHandle first = stored.getIntersection(KeyGroupRange.of(0, 1));
        KeyGroupsStateHandle last = stored.getIntersection(KeyGroupRange.of(3, 3));
        assertThat(found(stored, keyGroups(file("copy")), first, last))
                .containsExactlyInAnyOrder(
                        new KeyGroupsStateHandle(first.getGroupRangeOffsets(), file("copy")),
                        new KeyGroupsStateHandle(last.getGroupRangeOffsets(), file("copy")));
    }

    @Test
    void whatIsNamedOfAnotherFileIsNot() throws Exception {
        KeyGroupsStateHandle first =
                keyGroups(file("stored")).getIntersection(KeyGroupRange.of(0, 1));
        KeyGroupsStateHandle other =
                keyGroups(file("other")).getIntersection(KeyGroupRange.of(2, 3));
        assertThat(found(keyGroups(file("stored")), keyGroups(file("copy")), first, other))
                .containsExactly(
                        new KeyGroupsStateHandle(first.getGroupRangeOffsets(), file("copy")));
    }

    @Test
    void whatHasTheSameKeyGroupsInAnotherFileIsNot() throws Exception {
        assertThat(
                        found(
                                keyGroups(file("stored")),
                                keyGroups(file("copy")),
                                keyGroups(file("other"))))
                .isEmpty();
    }

    /** Slices of it have its name, and other offsets. */
    @Test
    void whatIsInMemoryIsNotLookedFor() throws Exception {
        StreamStateHandle bytes = new ByteStreamStateHandle("name", new byte[50]);
        assertThat(found(keyGroups(bytes), keyGroups(file("copy")), keyGroups(bytes))).isEmpty();
    }

    @Test
    void theFilesOfAnIncrementalCheckpointAreThoseOfItsBackend() throws Exception {
        IncrementalRemoteKeyedStateHandle own = files(backend, ALL, CHECKPOINT);
        assertThat(found(own, copyOfFiles(), own))
                .singleElement()
                .isInstanceOf(IncrementalLocalKeyedStateHandle.class);
    }

    @Test
    void thoseOfAnotherBackendAreNot() throws Exception {
        assertThat(
                        found(
                                files(backend, ALL, CHECKPOINT),
                                copyOfFiles(),
                                files(UUID.randomUUID(), ALL, CHECKPOINT)))
                .isEmpty();
    }

    @Test
    void thoseOfAnotherCheckpointAreNot() throws Exception {
        assertThat(
                        found(
                                files(backend, ALL, CHECKPOINT),
                                copyOfFiles(),
                                files(backend, ALL, CHECKPOINT - 1)))
                .isEmpty();
    }

    /** A subtask that shares them with others is to have an id of its own. */
    @Test
    void thoseOfWhichLessIsClaimedAreNot() throws Exception {
        assertThat(
                        found(
                                files(backend, ALL, CHECKPOINT),
                                copyOfFiles(),
                                files(backend, KeyGroupRange.of(0, 1), CHECKPOINT)))
                .isEmpty();
    }

    /** Flink could not tell which of them has a copy. */
    @Test
    void thoseThatAreRestoredNextToOthersAreNot() throws Exception {
        assertThat(
                        found(
                                files(backend, ALL, CHECKPOINT),
                                copyOfFiles(),
                                files(backend, ALL, CHECKPOINT),
                                files(UUID.randomUUID(), ALL, CHECKPOINT)))
                .isEmpty();
    }
}
