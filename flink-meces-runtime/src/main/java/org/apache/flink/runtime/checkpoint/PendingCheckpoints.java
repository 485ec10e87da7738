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

/** Bridge: what a pending checkpoint is for. Thread-safe. */
public final class PendingCheckpoints {

    private PendingCheckpoints() {}

    /** Whether a user has asked for it. */
    public static boolean isSavepoint(PendingCheckpoint checkpoint) {
        return checkpoint.getProps().isSavepoint();
    }

    /** Whether the job stops when it is complete (stop-with-savepoint). */
    public static boolean isStop(PendingCheckpoint checkpoint) {
        return checkpoint.getProps().isSynchronous();
    }
}
