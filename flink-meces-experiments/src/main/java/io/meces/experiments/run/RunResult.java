// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.Samples;
import io.meces.experiments.measure.Stages;
import io.meces.experiments.measure.Verdict;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What a run has shown; of one that was cut short, what was known by then. Written by the thread
 * that runs it.
 */
public final class RunResult {
    public Verdict verdict = new Verdict();

    /** Rescales that have ended. */
    public final List<RescaleRun> rescales = new ArrayList<>();

    /** For how long there was load; null until it has ended. */
    @Nullable public Interval load;

    /** Results by when their records were due. */
    public Samples samples = new Samples();

    /** Markers by when they were due. */
    public Samples markers = new Samples();

    @Nullable public Stages stages;
    @Nullable public JobHealth health;

    /** What the transition service has left in Redis; null if it does not use one. */
    @Nullable public RedisRemains redis;
}
