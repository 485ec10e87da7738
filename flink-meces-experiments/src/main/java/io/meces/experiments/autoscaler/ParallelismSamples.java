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

package io.meces.experiments.autoscaler;

import io.meces.api.Elasticity;
import io.meces.cli.rest.JobManagerClient;
import io.meces.examples.keycount.EpochMicros;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The parallelism of a vertex over time. Not thread-safe. */
final class ParallelismSamples {
    private final List<Long> micros = new ArrayList<>();
    private final List<Integer> values = new ArrayList<>();

    /** Asks the JobManager. */
    void take(JobManagerClient client, String jobId) throws IOException {
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
