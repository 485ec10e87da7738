// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.TestGraphs;
import java.time.Year;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.util.Collector;

/** A job whose state goes through Kryo: the year 2026 per key. */
final class Years {

    private static final int KEYS = 10;

    private Years() {}

    static JobGraph job(Ledger ledger) {
        StreamExecutionEnvironment env = Jobs.environment(0);
        Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)
                .keyBy(record -> record.f0)
                .process(new Keeper(ledger.name))
                .returns(Types.INT)
                .name("years")
                .uid("years")
                .addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "years");
    }

    private static final class Keeper
            extends KeyedProcessFunction<Integer, Tuple3<Integer, Integer, Long>, Integer> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient ValueState<Year> year;

        Keeper(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            year = getRuntimeContext().getState(new ValueStateDescriptor<>("year", Year.class));
        }

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> record, Context context, Collector<Integer> out)
                throws Exception {
            Ledger ledger = Ledger.named(ledgerName);
            if (year.value() == null) {
                year.update(Year.of(2026));
            } else if (year.value().getValue() != 2026) {
                ledger.violation("the year " + year.value());
            }
            ledger.results.incrementAndGet();
        }
    }
}
