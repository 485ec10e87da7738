// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.harness.RescaleRun;
import java.util.Map;
import javax.annotation.Nullable;

/** Rescales a job, one way or the other. */
interface Rescaling {

    /**
     * Rescales and waits for the end.
     *
     * @param jobId the running job
     */
    Outcome rescale(String jobId) throws Exception;

    /**
     * Called during the warm-up, unless the first rescale is to be measured: rescales to the new
     * parallelism and back, if that can be done in a running job. So the code has run once, and
     * with a repartition strategy key-groups are where it wants them: what it costs to come from
     * another one is not measured. Waits for the end.
     */
    default void prepare(String jobId) throws Exception {}

    /** How it went. */
    final class Outcome {

        /** The job that runs now. */
        final String jobId;

        final RescaleRun run;

        /** Into how many units a key-group was divided; 1 if nothing has moved by units. */
        final int unitsPerKeyGroup;

        /** What it consisted of, in ms. */
        final Map<String, Long> phases;

        /** When the old job had stopped, in µs since the epoch; null if the job has gone on. */
        @Nullable final Long stopped;

        Outcome(
                String jobId,
                RescaleRun run,
                int unitsPerKeyGroup,
                Map<String, Long> phases,
                @Nullable Long stopped) {
            this.jobId = jobId;
            this.run = run;
            this.unitsPerKeyGroup = unitsPerKeyGroup;
            this.phases = phases;
            this.stopped = stopped;
        }
    }
}
