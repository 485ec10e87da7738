// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import io.meces.flink.examples.ExampleJobs;
import io.meces.flink.testing.DisposedOperator;
import java.io.IOException;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes records on. It is chained to the operators of a vertex, so that a test can hold the
 * vertex's tasks and have them fail.
 */
class FaultPoint<T> extends DisposedOperator<T> implements OneInputStreamOperator<T, T> {
    private static final long serialVersionUID = 1L;
    private static final long LOOK_MILLIS = 50L;

    private final Switches switches;
    private final String vertex;

    private FaultPoint(Switches switches, String vertex) {
        this.switches = switches;
        this.vertex = vertex;
    }

    @Override
    public void open() throws Exception {
        super.open();
        lookLater();
    }

    /** For a task without records. */
    private void lookLater() {
        getProcessingTimeService()
                .registerTimer(
                        getProcessingTimeService().getCurrentProcessingTime() + LOOK_MILLIS,
                        time -> {
                            switches.check(vertex, subtask());
                            pass(Switches.Point.RUN);
                            lookLater();
                        });
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        pass(Switches.Point.RUN);
        output.collect(record);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        pass(Switches.Point.SNAPSHOT);
    }

    @Override
    protected void disposed() throws Exception {
        pass(Switches.Point.DISPOSE);
    }

    final void pass(Switches.Point point) throws IOException, InterruptedException {
        switches.pass(point, vertex, subtask());
    }

    private int subtask() {
        return ExampleJobs.subtask(getRuntimeContext());
    }

    /** One that is told of complete checkpoints, and of the end of its input, too. */
    private static final class Told<T> extends FaultPoint<T> implements BoundedOneInput {
        private static final long serialVersionUID = 1L;

        private Told(Switches switches, String vertex) {
            super(switches, vertex);
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) throws Exception {
            super.notifyCheckpointComplete(checkpoint);
            pass(Switches.Point.NOTIFY);
        }

        @Override
        public void endInput() throws Exception {
            pass(Switches.Point.END_INPUT);
        }
    }

    /**
     * Makes fault points. A vertex with an operator of a user's that is told of complete
     * checkpoints cannot be rescaled, as it may commit, and with one that is told of the end of its
     * input it can have no fewer subtasks. These do neither, so the factory does not name what they
     * are told.
     */
    static final class Factory<T> extends AbstractStreamOperatorFactory<T>
            implements OneInputStreamOperatorFactory<T, T> {
        private static final long serialVersionUID = 1L;

        private final Switches switches;
        private final String vertex;

        Factory(Switches switches, String vertex) {
            this.switches = switches;
            this.vertex = vertex;
            this.chainingStrategy = ChainingStrategy.ALWAYS;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <O extends StreamOperator<T>> O createStreamOperator(
                StreamOperatorParameters<T> parameters) {
            FaultPoint<T> point = new Told<>(switches, vertex);
            point.setProcessingTimeService(parameters.getProcessingTimeService());
            point.setup(
                    parameters.getContainingTask(),
                    parameters.getStreamConfig(),
                    parameters.getOutput());
            return (O) point;
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
            return FaultPoint.class;
        }
    }
}
