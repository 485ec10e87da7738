// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.Subtasks;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractInput;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Folds the records of three inputs, as {@link Jobs.Counter} does those of one, and checks that
 * each event-time timer fires once.
 */
final class ThreeInputCounter
        extends AbstractStreamOperatorV2<Tuple5<Integer, Integer, Long, Long, Integer>>
        implements MultipleInputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>>,
                Triggerable<Integer, VoidNamespace> {

    private final Ledger ledger;
    private transient MapState<Integer, Long> folded;
    private transient MapState<Long, Boolean> due;
    private transient InternalTimerService<VoidNamespace> timers;

    private ThreeInputCounter(
            StreamOperatorParameters<Tuple5<Integer, Integer, Long, Long, Integer>> parameters,
            String ledgerName) {
        super(parameters, 3);
        ledger = Ledger.named(ledgerName);
    }

    @Override
    public void open() throws Exception {
        folded = getPartitionedState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
        due = getPartitionedState(new MapStateDescriptor<>("due", Types.LONG, Types.BOOLEAN));
        timers = getInternalTimerService("due", VoidNamespaceSerializer.INSTANCE, this);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public List<Input> getInputs() {
        List<Input> inputs = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            inputs.add(
                    new AbstractInput<
                            Tuple3<Integer, Integer, Long>,
                            Tuple5<Integer, Integer, Long, Long, Integer>>(this, i) {
                        @Override
                        public void processElement(
                                StreamRecord<Tuple3<Integer, Integer, Long>> record)
                                throws Exception {
                            process(record, (inputId - 1) * 2);
                        }
                    });
        }
        return inputs;
    }

    private void process(StreamRecord<Tuple3<Integer, Integer, Long>> record, int firstSource)
            throws Exception {
        Tuple3<Integer, Integer, Long> r = record.getValue();
        if (record.getTimestamp() <= timers.currentWatermark()) {
            ledger.violation("late " + r);
        }
        if (r.f1 < firstSource || r.f1 > firstSource + 1) {
            ledger.violation(r + " came on the input of source " + firstSource);
        }
        Long before = folded.get(r.f1);
        long state = Ledger.nextState(before == null ? 17 : before, r.f2);
        folded.put(r.f1, state);
        long time = record.getTimestamp() + 500;
        if (!due.contains(time)) {
            due.put(time, true);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, time);
            ledger.timersRegistered.incrementAndGet();
        }
        output.collect(
                record.replace(
                        Tuple5.of(r.f0, r.f1, r.f2, state, Subtasks.index(getRuntimeContext()))));
    }

    @Override
    public void onEventTime(InternalTimer<Integer, VoidNamespace> timer) throws Exception {
        if (!due.contains(timer.getTimestamp())) {
            ledger.violation("a timer fired without its state: " + timer);
        }
        due.remove(timer.getTimestamp());
        ledger.timersFired.incrementAndGet();
    }

    @Override
    public void onProcessingTime(InternalTimer<Integer, VoidNamespace> timer) {
        throw new UnsupportedOperationException();
    }

    /** Makes the operator in each subtask. */
    static final class Factory
            extends AbstractStreamOperatorFactory<Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;

        Factory(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T extends StreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>>>
                T createStreamOperator(
                        StreamOperatorParameters<Tuple5<Integer, Integer, Long, Long, Integer>>
                                parameters) {
            return (T) new ThreeInputCounter(parameters, ledgerName);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return ThreeInputCounter.class;
        }
    }
}
