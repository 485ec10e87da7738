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

package io.meces.core.rescale;

/** What a job is doing; the names are those of Flink's {@code JobStatus}. */
public enum JobState {
    INITIALIZING,
    CREATED,
    RUNNING,
    FAILING,
    FAILED,
    CANCELLING,
    CANCELED,
    FINISHED,
    RESTARTING,
    SUSPENDED,
    RECONCILING;

    /** Whether it is on its way to its end, or has ended, and not only for this JobManager. */
    boolean isEnding() {
        return this == FAILING || this == CANCELLING || isTerminal() && this != SUSPENDED;
    }

    /** Whether nothing becomes of the job any more, as far as this JobManager is concerned. */
    public boolean isTerminal() {
        return this == FAILED || this == CANCELED || this == FINISHED || this == SUSPENDED;
    }
}
