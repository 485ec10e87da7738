// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** The files that checkpoints and savepoints on the local disk consist of. */
final class CheckpointFiles {

    private CheckpointFiles() {}

    /** All that the metadata refer to, and the metadata. */
    static Set<File> of(String checkpoint) throws IOException {
        Path directory = Paths.get(URI.create(checkpoint));
        Set<File> files = new TreeSet<>();
        files.add(directory.resolve("_metadata").toFile());
        for (OperatorState operator : operators(directory)) {
            for (OperatorSubtaskState subtask : operator.getStates()) {
                subtask.getManagedKeyedState().forEach(handle -> addKeyed(handle, files::add));
                subtask.getRawKeyedState().forEach(handle -> addKeyed(handle, files::add));
                for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
                    add(handle.getDelegateStateHandle(), files::add);
                }
                for (OperatorStateHandle handle : subtask.getRawOperatorState()) {
                    add(handle.getDelegateStateHandle(), files::add);
                }
            }
        }
        return files;
    }

    /** Those with managed keyed state. */
    static Set<File> keyed(String checkpoint) throws IOException {
        Set<File> files = new TreeSet<>();
        for (OperatorState operator : operators(Paths.get(URI.create(checkpoint)))) {
            for (OperatorSubtaskState subtask : operator.getStates()) {
                subtask.getManagedKeyedState().forEach(handle -> addKeyed(handle, files::add));
            }
        }
        return files;
    }

    /** All files of a directory; none if it is gone. */
    static Set<File> below(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return new TreeSet<>();
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.map(Path::toFile)
                    .filter(File::isFile)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Iterable<OperatorState> operators(Path checkpoint) throws IOException {
        try (DataInputStream in =
                new DataInputStream(Files.newInputStream(checkpoint.resolve("_metadata")))) {
            return Checkpoints.loadCheckpointMetadata(
                            in,
                            CheckpointFiles.class.getClassLoader(),
                            checkpoint.toUri().toString())
                    .getOperatorStates();
        }
    }

    private static void addKeyed(KeyedStateHandle handle, Consumer<File> files) {
        if (handle instanceof KeyGroupsStateHandle) {
            add(((KeyGroupsStateHandle) handle).getDelegateStateHandle(), files);
        } else if (handle instanceof IncrementalRemoteKeyedStateHandle) {
            IncrementalRemoteKeyedStateHandle set = (IncrementalRemoteKeyedStateHandle) handle;
            add(set.getMetaDataStateHandle(), files);
            set.getPrivateState().forEach(file -> add(file.getHandle(), files));
            set.getSharedState().forEach(file -> add(file.getHandle(), files));
        } else {
            throw new IllegalArgumentException("A handle of another kind: " + handle);
        }
    }

    private static void add(StreamStateHandle handle, Consumer<File> files) {
        if (handle instanceof FileStateHandle) {
            files.accept(new File(((FileStateHandle) handle).getFilePath().getPath()));
        }
    }
}
