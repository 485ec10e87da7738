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
