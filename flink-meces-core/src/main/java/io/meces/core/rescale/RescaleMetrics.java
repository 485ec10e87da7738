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

import io.meces.api.RescaleStatus;
import io.meces.core.migration.StepStatistics;

/** Who counts what the rescales of a job do. Called by the JobMaster's main thread. */
public interface RescaleMetrics {

    /** A rescale has begun, or is taken over from an earlier JobManager. */
    void begun();

    /** The job restarts while tasks take part in a rescale. */
    void restarted();

    /** A subtask has completed its part of a step. */
    void migrated(StepStatistics statistics);

    /**
     * The rescale has ended.
     *
     * @param outcome a terminal one
     * @param durationMillis since it was asked for
     */
    void ended(RescaleStatus outcome, long durationMillis);
}
