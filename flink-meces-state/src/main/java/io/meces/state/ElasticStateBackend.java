// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateBackend;

/**
 * A state backend whose keyed state can move between subtasks while the job runs: in an {@link
 * ElasticEnvironment} its keyed backends are {@link ElasticKeyedStateBackend}s.
 */
public interface ElasticStateBackend extends StateBackend {

    /** Sub-groups per key-group: how finely state moves. */
    int subGroups();

    /**
     * Why state cannot move as this backend is set up, and the remedy, in sentences; null if it
     * can.
     */
    @Nullable
    default String refusal() {
        return null;
    }
}
