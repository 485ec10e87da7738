// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleStatus;
import io.meces.core.command.StepStatistics;
import io.meces.core.job.RescaleMetrics;
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
