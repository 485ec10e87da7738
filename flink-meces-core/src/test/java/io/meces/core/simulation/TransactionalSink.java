// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A sink with a two-phase commit: what it has got is visible when its checkpoint is complete. */
final class TransactionalSink {

    private final Results results;
    private final TreeMap<Long, Transaction> pending = new TreeMap<>();
    private Transaction open;

    TransactionalSink(Results results) {
        this.results = results;
        this.open = new Transaction(results);
    }

    void add(SimulatedElement output) {
        open.add(output);
    }

    void snapshot(long checkpoint, Snapshot into) {
        pending.put(checkpoint, open);
        open = new Transaction(results);
        into.transactions.addAll(pending.values());
    }

    void onComplete(long checkpoint) {
        pending.headMap(checkpoint, true).values().forEach(t -> t.commit());
        pending.headMap(checkpoint, true).clear();
    }

    List<Transaction> uncommitted() {
        List<Transaction> all = new ArrayList<>(pending.values());
        all.add(open);
        return all;
    }

    boolean isEmpty() {
        return uncommitted().stream().allMatch(t -> t.isEmpty() || t.isCommitted());
    }
}
