// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import static java.util.stream.Collectors.toList;

import io.meces.experiments.saturation.ThroughputStatistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import javax.annotation.Nullable;

/** The runs of a workload so far. */
final class WorkloadResult {
    final Workload workload;
    final List<Mechanism> mechanisms;
    private final List<TrialResult> trials = new ArrayList<>();

    WorkloadResult(Workload workload, List<Mechanism> mechanisms) {
        this.workload = workload;
        this.mechanisms = mechanisms;
    }

    void add(TrialResult trial) {
        trials.add(trial);
    }

    List<TrialResult> trials() {
        return trials;
    }

    List<TrialResult> of(Mechanism mechanism) {
        return trials.stream().filter(trial -> trial.mechanism.equals(mechanism)).collect(toList());
    }

    /** The median of all runs of a mechanism; NaN if there are none. */
    double median(Mechanism mechanism, ToDoubleFunction<TrialResult> figure) {
        return ThroughputStatistics.median(
                of(mechanism).stream().map(figure::applyAsDouble).collect(toList()));
    }

    /** The median of the ratios of the runs with the same number; NaN if there are none. */
    double ratio(Mechanism mechanism, Mechanism base, ToDoubleFunction<TrialResult> figure) {
        List<Double> ratios = new ArrayList<>();
        for (TrialResult trial : of(mechanism)) {
            for (TrialResult other : of(base)) {
                if (other.repeat == trial.repeat) {
                    ratios.add(figure.applyAsDouble(trial) / figure.applyAsDouble(other));
                }
            }
        }
        return ThroughputStatistics.median(ratios);
    }

    /** The run of a mechanism whose peak is the median, or next above; null if there is none. */
    @Nullable
    TrialResult typical(Mechanism mechanism) {
        List<TrialResult> all = of(mechanism);
        all.sort(Comparator.comparingDouble(trial -> trial.results.rescale.maxMillis()));
        return all.isEmpty() ? null : all.get(all.size() / 2);
    }

    boolean isSuccess() {
        return trials.stream().allMatch(TrialResult::isSuccess);
    }
}
