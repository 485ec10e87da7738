// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.cluster.Installation;
import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.RescaleRun;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** What is known of a run while it is under way, for the case that it does not come to its end. */
final class PartialResult {
    final DemoOptions options;
    final Installation installation;

    /** Rescales that have ended. */
    final List<RescaleRun> rescales = new ArrayList<>();

    /** Records sent. */
    long sent;

    /** What the results read so far say; what is not among them is not lost. Null: not known. */
    @Nullable ExactnessVerifier.Verdict verdict;

    PartialResult(DemoOptions options, Installation installation) {
        this.options = options;
        this.installation = installation;
    }
}
