// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.state.LocalRecoveryConfig;

/** Copies of state on the disk of a TaskManager, for its recovery. Pure. */
public final class LocalRecovery {

    private LocalRecovery() {}

    /** There are none. */
    public static LocalRecoveryConfig none() {
        return new LocalRecoveryConfig(false, null);
    }

    /** Those of elastic vertices: none on this line, which takes them by their key-groups alone. */
    public static LocalRecoveryConfig ofElastic(LocalRecoveryConfig config) {
        return new LocalRecoveryConfig(false, config.getLocalStateDirectoryProvider());
    }

    /** What is kept of the copies in a checkpoint. */
    public static TaskStateSnapshot copies(TaskStateSnapshot stored, TaskStateSnapshot copies) {
        return copies;
    }
}
