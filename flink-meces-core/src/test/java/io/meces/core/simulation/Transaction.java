// SPDX-License-Identifier: Apache-2.0
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
