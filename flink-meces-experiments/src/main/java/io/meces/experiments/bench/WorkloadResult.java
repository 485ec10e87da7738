// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static java.util.stream.Collectors.toList;

import io.meces.experiments.measure.Medians;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.annotation.Nullable;

/** The runs of a workload so far. */
final class WorkloadResult {
    final Workload workload;
    private final List<Mechanism> mechanisms;
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

    /** Those of which there are runs. */
    List<Mechanism> mechanisms() {
        return mechanisms.stream().filter(m -> !of(m).isEmpty()).collect(toList());
    }

    List<TrialResult> of(Mechanism mechanism) {
        return trials.stream().filter(trial -> trial.mechanism.equals(mechanism)).collect(toList());
    }

    /** The median of all runs of a mechanism; NaN if there are none. */
    double median(Mechanism mechanism, String figure) {
        return Medians.of(
                of(mechanism).stream().map(trial -> trial.figures().get(figure)).collect(toList()));
    }

    /** The median of the ratios of the runs with the same number; NaN if there are none. */
    double ratio(Mechanism mechanism, Mechanism base, String figure) {
        List<Double> ratios = new ArrayList<>();
        for (TrialResult trial : of(mechanism)) {
            for (TrialResult other : of(base)) {
                if (other.repeat == trial.repeat) {
                    ratios.add(trial.figures().get(figure) / other.figures().get(figure));
                }
            }
        }
        return Medians.of(ratios);
    }

    /** The run of a mechanism whose peak is the median, or next above; null if there is none. */
    @Nullable
    TrialResult typical(Mechanism mechanism) {
        List<TrialResult> all = of(mechanism);
        all.sort(Comparator.comparingDouble(trial -> trial.results.rescale.max));
        return all.isEmpty() ? null : all.get(all.size() / 2);
    }

    boolean isSuccess() {
        return trials.stream().allMatch(TrialResult::isSuccess);
    }
}
