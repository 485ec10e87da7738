// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.Subtasks;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Folds keyed records as {@link Jobs.Counter} does, and counts broadcast records per source: in the
 * broadcast state, and in the state of each key from its first record on. Each broadcast record
 * must come once and in order, to each subtask and to each key. At the end of time each key says
 * what it and its subtask have counted.
 */
final class BroadcastCounter
        extends KeyedBroadcastProcessFunction<
                Integer,
                Tuple3<Integer, Integer, Long>,
                Tuple3<Integer, Integer, Long>,
                Tuple5<Integer, Integer, Long, Long, Integer>> {
    private static final long serialVersionUID = 1L;

    /** Per broadcast source: how many of its records have come. */
    static final MapStateDescriptor<Integer, Long> COUNTS =
            new MapStateDescriptor<>("counts", Types.INT, Types.LONG);

    static final OutputTag<String> AT_THE_END = new OutputTag<>("at the end", Types.STRING);

    /** Results of some broadcast records: key or {@link #NO_KEY}, source, number, subtask. */
    static final OutputTag<Tuple4<Integer, Integer, Long, Integer>> OF_BROADCAST_RECORDS =
            new OutputTag<>(
                    "of broadcast records",
                    Types.TUPLE(Types.INT, Types.INT, Types.LONG, Types.INT));

    static final int NO_KEY = -1;

    /** Every how manyth broadcast record of a source has results. */
    static final int WITH_RESULTS = 20;

    private static final MapStateDescriptor<Integer, Long> APPLIED =
            new MapStateDescriptor<>("applied", Types.INT, Types.LONG);
    private static final MapStateDescriptor<Integer, Long> FOLDED =
            new MapStateDescriptor<>("folded", Types.INT, Types.LONG);

    private final String ledgerName;
    private final int[] broadcastSources;

    BroadcastCounter(String ledgerName, int... broadcastSources) {
        this.ledgerName = ledgerName;
        this.broadcastSources = broadcastSources;
    }

    @Override
    public void processElement(
            Tuple3<Integer, Integer, Long> r,
            ReadOnlyContext context,
            Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
            throws Exception {
        Ledger ledger = Ledger.named(ledgerName);
        if (ledger.failOnce && ledger.failed.compareAndSet(false, true)) {
            throw new IllegalStateException("a failure that the test asked for");
        }
        ledger.work();
        if (context.timestamp() <= context.currentWatermark()) {
            ledger.violation("late " + r);
        }
        MapState<Integer, Long> applied = getRuntimeContext().getMapState(APPLIED);
        if (applied.isEmpty()) {
            ReadOnlyBroadcastState<Integer, Long> counts = context.getBroadcastState(COUNTS);
            for (int source : broadcastSources) {
                applied.put(source, counts.contains(source) ? counts.get(source) : 0);
            }
            context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
        }
        MapState<Integer, Long> folded = getRuntimeContext().getMapState(FOLDED);
        Long before = folded.get(r.f1);
        long state = Ledger.nextState(before == null ? 17 : before, r.f2);
        folded.put(r.f1, state);
        out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, Subtasks.index(getRuntimeContext())));
    }

    @Override
    public void processBroadcastElement(
            Tuple3<Integer, Integer, Long> r,
            Context context,
            Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
            throws Exception {
        Ledger ledger = Ledger.named(ledgerName);
        int me = Subtasks.index(getRuntimeContext());
        if (context.timestamp() <= context.currentWatermark()) {
            ledger.violation("late broadcast record " + r + " at subtask " + me);
        }
        BroadcastState<Integer, Long> counts = context.getBroadcastState(COUNTS);
        long count = counts.contains(r.f1) ? counts.get(r.f1) : 0;
        if (count != r.f2) {
            ledger.violation(
                    "broadcast record " + r + " comes as number " + count + " to subtask " + me);
        }
        counts.put(r.f1, count + 1);
        boolean withResults = r.f2 % WITH_RESULTS == 0;
        if (withResults) {
            context.output(OF_BROADCAST_RECORDS, Tuple4.of(NO_KEY, r.f1, 2 * r.f2, me));
        }
        context.applyToKeyedState(
                APPLIED,
                (key, applied) -> {
                    long n = applied.get(r.f1);
                    if (n != r.f2) {
                        ledger.violation(
                                String.format(
                                        "broadcast record %s comes as number %d to key %d at"
                                                + " subtask %d",
                                        r, n, key, me));
                    }
                    applied.put(r.f1, n + 1);
                    if (withResults) {
                        context.output(OF_BROADCAST_RECORDS, Tuple4.of(key, r.f1, r.f2, me));
                    }
                });
        if (withResults) {
            // this, too, is for no key
            context.output(
                    OF_BROADCAST_RECORDS, Tuple4.of(NO_KEY, r.f1, 2 * r.f2 + WITH_RESULTS, me));
        }
    }

    @Override
    public void onTimer(
            long timestamp,
            OnTimerContext context,
            Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
            throws Exception {
        Ledger ledger = Ledger.named(ledgerName);
        Map<Integer, Long> counted = new TreeMap<>();
        context.getBroadcastState(COUNTS)
                .immutableEntries()
                .forEach(e -> counted.put(e.getKey(), e.getValue()));
        Map<Integer, Long> applied = new TreeMap<>();
        for (Map.Entry<Integer, Long> e : getRuntimeContext().getMapState(APPLIED).entries()) {
            applied.put(e.getKey(), e.getValue());
        }
        Map<Integer, Long> folded = new TreeMap<>();
        for (Map.Entry<Integer, Long> e : getRuntimeContext().getMapState(FOLDED).entries()) {
            folded.put(e.getKey(), e.getValue());
        }
        context.output(
                AT_THE_END,
                String.format(
                        "key %d: folded %s, applied %s, its subtask has counted %s",
                        context.getCurrentKey(), folded, applied, counted));
    }
}
