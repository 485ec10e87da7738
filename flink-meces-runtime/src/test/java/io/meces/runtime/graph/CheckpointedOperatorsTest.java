// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.junit.jupiter.api.Test;

/** A subtask with nothing but keyed state needs no checkpoint to leave. */
class CheckpointedOperatorsTest {

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final KeyedStream<Long, Long> keyed = env.fromSequence(0, 10).keyBy(n -> n, Types.LONG);

    private String in(DataStream<Long> last) {
        last.addSink(new DiscardingSink<>());
        for (JobVertex vertex : TestGraphs.of(env, "job").getVertices()) {
            if (!vertex.isInputVertex()) {
                return CheckpointedOperators.in(vertex, getClass().getClassLoader());
            }
        }
        throw new AssertionError("no vertex with an input");
    }

    @Test
    void keyedStateAloneIsNone() {
        assertThat(in(keyed.reduce(Long::sum))).isNull();
    }

    @Test
    void windowsAreNone() {
        assertThat(in(keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(Long::sum)))
                .isNull();
    }

    @Test
    void listStateOfAFunctionIsNamed() {
        assertThat(in(keyed.map(new WithListState()).name("list")))
                .isEqualTo(
                        "operator 'list' keeps other than keyed state, or waits for checkpoints to"
                                + " complete");
    }

    @Test
    void aFunctionThatWaitsForCheckpointsIsNamedAlsoBehindOthers() {
        assertThat(in(keyed.reduce(Long::sum).map(new Waiting()).name("waiting")))
                .startsWith("operator 'waiting' ");
    }

    @Test
    void anOperatorOfFlinkThatKeepsRecordsIsNamed() {
        AsyncFunction<Long, Long> call = (n, result) -> result.complete(null);
        assertThat(
                        in(
                                AsyncDataStream.orderedWait(
                                                keyed.reduce(Long::sum), call, 1, TimeUnit.SECONDS)
                                        .returns(Types.LONG)))
                .startsWith("operator 'async wait operator' ");
    }

    private static final class WithListState
            implements MapFunction<Long, Long>, CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        @Override
        public Long map(Long n) {
            return n;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            // only the type is looked at
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            // only the type is looked at
        }
    }

    private static final class Waiting implements MapFunction<Long, Long>, CheckpointListener {
        private static final long serialVersionUID = 1L;

        @Override
        public Long map(Long n) {
            return n;
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            // only the type is looked at
        }
    }
}
