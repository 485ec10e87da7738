// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.BitSet;

/**
 * Implemented by the {@link org.apache.flink.runtime.execution.Environment} of a subtask whose
 * key-groups may change while it runs.
 *
 * <p>Such a subtask gets a backend for <em>all</em> key-groups of its operator, of which it owns
 * some; and since units must mean the same in all subtasks, the number of sub-groups is not the
 * TaskManager's own but the one that the JobManager has fixed for the job.
 */
public interface ElasticEnvironment {

    /** Number of sub-groups per key-group, 1..{@link SubGroups#MAX}; constant. */
    int subGroups();

    /** The key-groups that the subtask owns when it is deployed; a copy. */
    BitSet keyGroups();
}
