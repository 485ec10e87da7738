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

package org.apache.flink.runtime.checkpoint;

/** Bridge: what a checkpoint is for. Thread-safe. */
public final class CheckpointKinds {

    private CheckpointKinds() {}

    /** Whether a user has asked for it. */
    public static boolean isSavepoint(PendingCheckpoint checkpoint) {
        return checkpoint.getProps().isSavepoint();
    }

    /**
     * Whether a user has named it to start the job from. Flink loads such a one as a savepoint that
     * is not forced; those that jobs take are.
     */
    public static boolean isNamedByUser(CompletedCheckpoint checkpoint) {
        return checkpoint.getProperties().isSavepoint()
                && !checkpoint.getProperties().forceCheckpoint();
    }
}
