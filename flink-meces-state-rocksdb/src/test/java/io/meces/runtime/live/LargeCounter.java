// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.Subtasks;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Keeps a payload per key besides the state that {@link Jobs.Counter} has. Fails where a test wants
 * it.
 */
final class LargeCounter
        extends KeyedProcessFunction<
                Integer,
                Tuple3<Integer, Integer, Long>,
                Tuple5<Integer, Integer, Long, Long, Integer>> {
    private static final long serialVersionUID = 1L;

    private static final ConcurrentMap<String, AtomicInteger> FAILING = new ConcurrentHashMap<>();

    private final String ledgerName;
    private final int payloadBytes;
    private transient AtomicInteger failing;
    private transient MapState<Integer, Long> folded;
    private transient ValueState<byte[]> payload;
    private transient int me;

    LargeCounter(String ledgerName, int payloadBytes) {
        this.ledgerName = ledgerName;
        this.payloadBytes = payloadBytes;
    }

    /** The subtask that is to fail, once; none if negative. */
    static AtomicInteger failing(String ledgerName) {
        return FAILING.computeIfAbsent(ledgerName, name -> new AtomicInteger(-1));
    }

    @Override
    public void open(Configuration parameters) {
        failing = failing(ledgerName);
        me = Subtasks.index(getRuntimeContext());
        folded =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
        payload = getRuntimeContext().getState(new ValueStateDescriptor<>("payload", byte[].class));
    }

    @Override
    public void processElement(
            Tuple3<Integer, Integer, Long> r,
            Context context,
            Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
            throws Exception {
        if (failing.compareAndSet(me, -1)) {
            throw new IllegalStateException("a failure that the test asked for");
        }
        Long before = folded.get(r.f1);
        long state = Ledger.nextState(before == null ? 17 : before, r.f2);
        folded.put(r.f1, state);
        byte[] bytes = new byte[payloadBytes];
        // nothing that can be compressed
        new Random(r.f0).nextBytes(bytes);
        byte[] kept = payload.value();
        if (kept == null) {
            payload.update(bytes);
        } else if (!Arrays.equals(kept, bytes)) {
            Ledger.named(ledgerName).violation("key " + r.f0 + " has another payload");
        }
        out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, me));
    }
}
