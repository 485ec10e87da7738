// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.TaskLocalStateStoreImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of state on the disk of a TaskManager, for its recovery.
 *
 * <p>Flink takes a copy for what a subtask is to restore if it is of the same checkpoint and has
 * the same range of key-groups. Those of elastic subtasks have all key-groups, whatever is in them,
 * and what a subtask owned in a checkpoint is not always what it restores of it. So a copy is taken
 * for the very file that it is one of: {@link CopiedKeyGroups}. The files of an incremental
 * checkpoint have a name of their own, the id of the backend and of the checkpoint. Has no state.
 */
public final class LocalRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(LocalRecovery.class);

    private LocalRecovery() {}

    /** There are none. */
    public static LocalRecoveryConfig none() {
        return LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED;
    }

    /** Those of elastic vertices. */
    public static LocalRecoveryConfig ofElastic(LocalRecoveryConfig config) {
        return config;
    }

    /**
     * What is kept of the copies in a checkpoint.
     *
     * @param stored what the JobManager is told of
     */
    public static TaskStateSnapshot copies(TaskStateSnapshot stored, TaskStateSnapshot copies) {
        TaskStateSnapshot kept = new TaskStateSnapshot(1, copies.isTaskFinished());
        for (Map.Entry<OperatorID, OperatorSubtaskState> of : copies.getSubtaskStateMappings()) {
            OperatorSubtaskState original = stored.getSubtaskStateByOperatorID(of.getKey());
            kept.putSubtaskStateByOperatorID(
                    of.getKey(),
                    original == null
                            ? of.getValue()
                            : of.getValue().toBuilder()
                                    .setManagedKeyedState(
                                            copies(
                                                    original.getManagedKeyedState(),
                                                    of.getValue().getManagedKeyedState()))
                                    .build());
        }
        return kept;
    }

    private static StateObjectCollection<KeyedStateHandle> copies(
            Collection<KeyedStateHandle> stored, StateObjectCollection<KeyedStateHandle> copies) {
        return stored.size() == 1 && copies.size() == 1
                ? StateObjectCollection.singleton(
                        CopiedKeyGroups.of(stored.iterator().next(), copies.iterator().next()))
                : copies;
    }

    /**
     * What is here of what an operator is to restore; nothing if Flink is not to look for it.
     *
     * @param named what the JobManager names
     */
    static List<OperatorSubtaskState> find(
            LocalRecoveryConfig config,
            long checkpoint,
            OperatorID operator,
            OperatorSubtaskState named) {
        if (!config.isLocalRecoveryEnabled() || named.getManagedKeyedState().isEmpty()) {
            return Collections.emptyList();
        }
        TaskStateSnapshot kept = read(config, checkpoint);
        OperatorSubtaskState copies =
                kept == null ? null : kept.getSubtaskStateByOperatorID(operator);
        if (copies == null) {
            return Collections.emptyList();
        }
        Collection<KeyedStateHandle> wanted = named.getManagedKeyedState();
        List<KeyedStateHandle> found = new ArrayList<>();
        for (KeyedStateHandle handle : wanted) {
            for (KeyedStateHandle copy : copies.getManagedKeyedState()) {
                instead(handle, copy, wanted.size() == 1).ifPresent(found::add);
            }
        }
        if (found.isEmpty() || !haveRangesOfTheirOwn(wanted)) {
            return Collections.emptyList();
        }
        LOG.info(
                "Of {} parts of the keyed state of operator {} in checkpoint {}, copies of {} are here.",
                wanted.size(),
                operator,
                checkpoint,
                found.size());
        return Collections.singletonList(
                OperatorSubtaskState.builder()
                        .setManagedKeyedState(new StateObjectCollection<>(found))
                        .build());
    }

    /**
     * @param alone whether nothing else is restored: several sets of files are merged, which is
     *     left to what Flink does with those that it has fetched
     */
    private static Optional<KeyedStateHandle> instead(
            KeyedStateHandle handle, KeyedStateHandle copy, boolean alone) {
        if (copy instanceof CopiedKeyGroups) {
            return ((CopiedKeyGroups) copy).instead(handle);
        }
        return alone
                        && handle instanceof IncrementalRemoteKeyedStateHandle
                        && copy instanceof IncrementalLocalKeyedStateHandle
                        && isOf(
                                (IncrementalKeyedStateHandle) copy,
                                (IncrementalKeyedStateHandle) handle)
                ? Optional.of(copy)
                : Optional.empty();
    }

    /** One that is to take a new id claims less than it has, and has no copy. */
    private static boolean isOf(
            IncrementalKeyedStateHandle copy, IncrementalKeyedStateHandle original) {
        return copy.getBackendIdentifier().equals(original.getBackendIdentifier())
                && copy.getCheckpointId() == original.getCheckpointId()
                && copy.getKeyGroupRange().equals(original.getKeyGroupRange());
    }

    /** Flink puts a copy in the place of what has its range, and fails if that is not clear. */
    static boolean haveRangesOfTheirOwn(Collection<KeyedStateHandle> handles) {
        return handles.stream()
                        .map(KeyedStateHandle::getKeyGroupRange)
                        .collect(Collectors.toSet())
                        .size()
                == handles.size();
    }

    /** What Flink has written of the copies in a checkpoint; null: there are none. */
    @Nullable
    private static TaskStateSnapshot read(LocalRecoveryConfig config, long checkpoint) {
        File file =
                config.getLocalStateDirectoryProvider()
                        .map(folders -> folders.subtaskSpecificCheckpointDirectory(checkpoint))
                        .map(f -> new File(f, TaskLocalStateStoreImpl.TASK_STATE_SNAPSHOT_FILENAME))
                        .orElse(null);
        if (file == null || !file.exists()) {
            return null;
        }
        try (ObjectInputStream in = new ObjectInputStream(new FileInputStream(file))) {
            return (TaskStateSnapshot) in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            LOG.warn("Local copies in {} cannot be read; what is stored elsewhere is.", file, e);
            return null;
        }
    }
}
