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

package io.meces.core.simulation;

import java.util.ArrayList;
import java.util.List;

/** Outputs that become visible together, once, however often they are committed. */
final class Transaction {

    private final List<SimulatedElement> outputs = new ArrayList<>();
    private final Results results;
    private boolean committed;

    Transaction(Results results) {
        this.results = results;
    }

    Results results() {
        return results;
    }

    void add(SimulatedElement output) {
        outputs.add(output);
    }

    boolean isEmpty() {
        return outputs.isEmpty();
    }

    boolean isCommitted() {
        return committed;
    }

    List<SimulatedElement> outputs() {
        return outputs;
    }

    void commit() {
        if (!committed) {
            committed = true;
            outputs.forEach(results::commit);
        }
    }
}
