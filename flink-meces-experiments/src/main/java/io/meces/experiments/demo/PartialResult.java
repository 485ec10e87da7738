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
