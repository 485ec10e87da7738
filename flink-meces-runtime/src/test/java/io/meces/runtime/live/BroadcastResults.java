// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.Subtasks;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;

/**
 * A consumer behind a pointwise exchange of what {@link BroadcastCounter} gives for broadcast
 * records: all of a key comes to one subtask and in order, whoever has the key; all for no key
 * comes to the subtask with the index of its producer.
 */
final class BroadcastResults extends RichSinkFunction<Tuple4<Integer, Integer, Long, Integer>> {
    private static final long serialVersionUID = 1L;

    private final String ledgerName;

    /** By key, source, and for no key the producer. */
    private final Map<Tuple3<Integer, Integer, Integer>, Long> last = new HashMap<>();

    BroadcastResults(String ledgerName) {
        this.ledgerName = ledgerName;
    }

    @Override
    public void invoke(Tuple4<Integer, Integer, Long, Integer> r, Context context) {
        Ledger ledger = Ledger.named(ledgerName);
        int me = Subtasks.index(getRuntimeContext());
        boolean forNoKey = r.f0 == BroadcastCounter.NO_KEY;
        int consumer =
                forNoKey
                        ? r.f3 % Subtasks.parallelism(getRuntimeContext())
                        : ledger.consumers.computeIfAbsent(Tuple2.of(r.f0, r.f1), key -> me);
        if (me != consumer) {
            ledger.violation(r + " comes to subtask " + me + ", not to " + consumer);
        }
        Long before = last.put(Tuple3.of(r.f0, r.f1, forNoKey ? r.f3 : 0), r.f2);
        // an index may be given to a subtask again, which misses what came meanwhile
        boolean inOrder =
                before == null
                        || r.f2 == before + BroadcastCounter.WITH_RESULTS
                        || forNoKey && r.f2 > before;
        if (!inOrder) {
            ledger.violation(r + " comes to subtask " + me + " after " + before);
        }
    }
}
