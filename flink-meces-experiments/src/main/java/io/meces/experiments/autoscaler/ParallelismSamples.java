// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import io.meces.api.Elasticity;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The parallelism of a vertex over time. Not thread-safe. */
final class ParallelismSamples {
    private final List<Long> micros = new ArrayList<>();
    private final List<Integer> values = new ArrayList<>();

    /** Asks the JobManager. */
    void take(FlinkClient client, String jobId) throws IOException {
        Elasticity.Vertex vertex = client.elasticity(jobId).vertices().get(0);
        micros.add(EpochMicros.now());
        values.add(vertex.parallelism());
    }

    int size() {
        return values.size();
    }

    /** In µs since the epoch. */
    long micros(int index) {
        return micros.get(index);
    }

    int value(int index) {
        return values.get(index);
    }

    int lowest() {
        return values.stream().mapToInt(n -> n).min().orElse(1);
    }

    int highest() {
        return values.stream().mapToInt(n -> n).max().orElse(1);
    }
}
