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

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/** The last rescales of a job, the oldest first. Owned by the JobMaster's main thread. */
final class RescaleHistory {

    /** How many are remembered. */
    private static final int LENGTH = 100;

    private final Deque<JobRescale> rescales = new ArrayDeque<>();

    void add(JobRescale rescale) {
        rescales.addLast(rescale);
        if (rescales.size() > LENGTH) {
            rescales.removeFirst();
        }
    }

    /**
     * @throws RescaleRefusedException if there is none of that id
     */
    JobRescale find(String id) throws RescaleRefusedException {
        for (JobRescale rescale : rescales) {
            if (rescale.id().equals(id)) {
                return rescale;
            }
        }
        throw RescaleRequests.refuse(
                RescaleRefusedException.Kind.NOT_FOUND, "The job has no rescale " + id + ".");
    }

    List<RescaleDetails> details() {
        return rescales.stream().map(JobRescale::details).collect(Collectors.toList());
    }
}
