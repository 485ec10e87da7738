// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.net.URI;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.AbstractFileStateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.util.TernaryBoolean;

/** Backends that store checkpoints, and keep the state of operators. Pure. */
public final class StoringBackends {

    private StoringBackends() {}

    /** In the memory of the JobManager. */
    public static AbstractFileStateBackend inMemory() {
        return new MemoryStateBackend();
    }

    /** In a directory. */
    public static AbstractFileStateBackend inFiles(URI checkpoints, @Nullable URI savepoints) {
        return new FsStateBackend(checkpoints, savepoints);
    }

    /** Whether it is one of Flink's that store checkpoints and keep state on the heap. */
    public static boolean isFlinks(StateBackend backend) {
        return backend.getClass() == FsStateBackend.class
                || backend.getClass() == MemoryStateBackend.class;
    }

    /** With the configured values for whatever was not set. */
    public static AbstractFileStateBackend configure(
            AbstractFileStateBackend backend, ReadableConfig config, ClassLoader classLoader) {
        return backend instanceof FsStateBackend
                ? ((FsStateBackend) backend).configure(config, classLoader)
                : ((MemoryStateBackend) backend).configure(config, classLoader);
    }

    /**
     * In the configured directory; null if there is none.
     *
     * @throws IllegalArgumentException if it cannot be one
     */
    @Nullable
    public static AbstractFileStateBackend configured(
            ReadableConfig config, ClassLoader classLoader) {
        String directory = config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        return directory == null
                ? null
                : new FsStateBackend(
                                new Path(directory).toUri(), null, -1, -1, TernaryBoolean.UNDEFINED)
                        .configure(config, classLoader);
    }
}
