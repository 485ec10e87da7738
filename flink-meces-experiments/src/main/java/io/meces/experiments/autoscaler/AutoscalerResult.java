// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.JobHealth;
import io.meces.experiments.harness.Samples;
import java.util.List;
import java.util.function.Predicate;

/** What a run of the demo has shown. */
public final class AutoscalerResult {
    public final AutoscalerOptions options;
    public final ExactnessVerifier.Verdict verdict;
    final Samples samples;
    final Interval load;

    /** Of the counter, over time. */
    final ParallelismSamples parallelism;

    /** The oldest first. */
    public final List<RescaleDetails> rescales;

    public final JobHealth health;

    AutoscalerResult(
            AutoscalerOptions options,
            ExactnessVerifier.Verdict verdict,
            Samples samples,
            Interval load,
            ParallelismSamples parallelism,
            List<RescaleDetails> rescales,
            JobHealth health) {
        this.options = options;
        this.verdict = verdict;
        this.samples = samples;
        this.load = load;
        this.parallelism = parallelism;
        this.rescales = rescales;
        this.health = health;
    }

    /** Scaled out and in by the autoscaler, each record counted once and in order, no restart. */
    public boolean isSuccess() {
        return verdict.isExact()
                && !health.wasRestarted()
                && finished(change -> change.to() > change.from()) > 0
                && finished(change -> change.to() < change.from()) > 0
                && rescales.stream().noneMatch(r -> r.status() == RescaleStatus.FAILED)
                && rescales.stream().noneMatch(r -> r.cause() == RescaleCause.USER);
    }

    long finished(Predicate<VertexChange> which) {
        return rescales.stream()
                .filter(r -> r.status() == RescaleStatus.FINISHED)
                .filter(r -> which.test(r.vertices().get(0)))
                .count();
    }
}
