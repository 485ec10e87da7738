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

package io.meces.runtime.scheduler;

import io.meces.core.rescale.RescaleException;
import org.apache.flink.runtime.executiongraph.failover.flip1.FixedDelayRestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.flip1.NoRestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.flip1.RestartBackoffTimeStrategy;

/**
 * The restart strategy of a job. A restart that a rescale asks for is no failure of the job: it
 * takes no attempt from those that the user allows.
 *
 * <p>Owned by the JobMaster's main thread. Flink tells of a failure, then asks what is to be done.
 */
final class RescaleRestarts implements RestartBackoffTimeStrategy {

    private final RestartBackoffTimeStrategy ofJob;
    private boolean byRescale;

    RescaleRestarts(RestartBackoffTimeStrategy ofJob) {
        this.ofJob = ofJob;
    }

    /** Whether the job ever restarts. If not, no rescale may have it restart either. */
    boolean areAllowed() {
        return !(ofJob instanceof NoRestartBackoffTimeStrategy)
                && !(ofJob instanceof FixedDelayRestartBackoffTimeStrategy
                        && ((FixedDelayRestartBackoffTimeStrategy) ofJob)
                                        .getMaxNumberRestartAttempts()
                                == 0);
    }

    @Override
    public void notifyFailure(Throwable cause) {
        byRescale = cause instanceof RescaleException && areAllowed();
        if (!byRescale) {
            ofJob.notifyFailure(cause);
        }
    }

    @Override
    public boolean canRestart() {
        return byRescale || ofJob.canRestart();
    }

    @Override
    public long getBackoffTime() {
        return ofJob.getBackoffTime();
    }

    @Override
    public String toString() {
        return ofJob.toString();
    }
}
