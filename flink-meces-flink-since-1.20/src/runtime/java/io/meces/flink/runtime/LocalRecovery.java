// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.state.LocalRecoveryConfig;

/** Copies of state on the disk of a TaskManager, for its recovery. Pure. */
public final class LocalRecovery {

    private LocalRecovery() {}

    /** There are none. */
    public static LocalRecoveryConfig none() {
        return LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED;
    }

    /** As in a configuration, but that there are none. */
    public static LocalRecoveryConfig without(LocalRecoveryConfig config) {
        return new LocalRecoveryConfig(
                false, false, config.getLocalStateDirectoryProvider().orElse(null));
    }
}
