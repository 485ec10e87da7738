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
import java.util.ArrayList;
import java.util.List;

/** Notes what is counted. */
public final class RecordedMetrics implements RescaleMetrics {

    final List<String> log = new ArrayList<>();

    @Override
    public void begun() {
        log.add("begun");
    }

    @Override
    public void restarted() {
        log.add("restarted");
    }

    @Override
    public void migrated(StepStatistics statistics) {
        log.add(statistics.unitsSent + " units");
    }

    @Override
    public void ended(RescaleStatus outcome, long durationMillis) {
        log.add(outcome + " after " + durationMillis + " ms");
    }
}
