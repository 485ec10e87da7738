/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
