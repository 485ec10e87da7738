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

package org.apache.flink.runtime.executiongraph;

import org.apache.flink.runtime.execution.ExecutionState;

/** Bridge: ends subtasks that were never deployed. Called by the JobMaster's main thread. */
public final class InactiveExecutions {

    private InactiveExecutions() {}

    /** A bounded job has finished when its inactive subtasks have, too. */
    public static void finish(ExecutionVertex vertex) {
        Execution execution = vertex.getCurrentExecutionAttempt();
        if (execution.getState() == ExecutionState.CREATED) {
            execution.transitionState(ExecutionState.DEPLOYING);
            execution.markFinished();
        }
    }
}
