// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.io.Serializable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** A keyed function that is one lambda; registers its states when it is opened. */
final class Fold<K> extends KeyedProcessFunction<K, Event, String> {
    private static final long serialVersionUID = 1L;

    private final Body body;
    private final StateDescriptor<?, ?>[] states;

    Fold(Body body, StateDescriptor<?, ?>... states) {
        this.body = body;
        this.states = states;
    }

    @Override
    public void open(Configuration parameters) {
        RuntimeContext context = getRuntimeContext();
        for (StateDescriptor<?, ?> state : states) {
            switch (state.getType()) {
                case VALUE:
                    context.getState((ValueStateDescriptor<?>) state);
                    break;
                case LIST:
                    context.getListState((ListStateDescriptor<?>) state);
                    break;
                case MAP:
                    context.getMapState((MapStateDescriptor<?, ?>) state);
                    break;
                case REDUCING:
                    context.getReducingState((ReducingStateDescriptor<?>) state);
                    break;
                case AGGREGATING:
                    context.getAggregatingState((AggregatingStateDescriptor<?, ?, ?>) state);
                    break;
                default:
                    throw new IllegalArgumentException(state.toString());
            }
        }
    }

    @Override
    public void processElement(Event event, Context context, Collector<String> out)
            throws Exception {
        body.accept(event, getRuntimeContext(), result -> out.collect(event + " " + result));
    }

    /** What is done with a record. */
    interface Body extends Serializable {
        void accept(Event event, RuntimeContext states, Out out) throws Exception;
    }

    /** Takes results of a record. */
    interface Out {
        void emit(Object result);
    }

    /** Depends on the order of the records. */
    static long next(Long before, Event event) {
        return (before == null ? 17 : before) * 31 + event.seq;
    }
}
