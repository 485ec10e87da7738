// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.StateDeclaration;
import org.apache.flink.api.common.state.StateDeclarations;
import org.apache.flink.api.common.state.ValueStateDeclaration;
import org.apache.flink.api.common.state.v2.ValueState;
import org.apache.flink.api.common.state.v2.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeDescriptors;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.dsv2.DataStreamV2SinkUtils;
import org.apache.flink.api.connector.dsv2.DataStreamV2SourceUtils;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.datastream.api.ExecutionEnvironment;
import org.apache.flink.datastream.api.context.PartitionedContext;
import org.apache.flink.datastream.api.function.OneInputStreamProcessFunction;
import org.apache.flink.datastream.impl.ExecutionEnvironmentImpl;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;

/** Jobs with asynchronous state. */
final class AsynchronousJobs {

    private AsynchronousJobs() {}

    static List<ForeignJob> all() {
        return Arrays.asList(
                new ForeignJob("asynchronous state", ORDER_PER_KEY, AsynchronousJobs::counts),
                new ForeignJob(
                        "windows with asynchronous state", RESULTS, AsynchronousJobs::windows),
                new ForeignJob("DataStream API V2", RESULTS, AsynchronousJobs::second));
    }

    private static void counts(Run run) {
        run.collect(
                run.events("a")
                        .keyBy(e -> e.f1, Types.INT)
                        .enableAsyncState()
                        .process(new Numbering())
                        .returns(Types.TUPLE(Types.INT, Types.INT)),
                e -> e.f0);
    }

    private static void windows(Run run) {
        run.collect(
                run.events("a", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .enableAsyncState()
                        .window(TumblingEventTimeWindows.of(Duration.ofMillis(500)))
                        .reduce(
                                (x, y) ->
                                        Tuple4.of(
                                                Math.max(x.f0, y.f0),
                                                x.f1,
                                                x.f2 + y.f2,
                                                Math.max(x.f3, y.f3))));
    }

    /** Its transformations, in an environment from which a job graph can be had. */
    private static void second(Run run) throws Exception {
        run.feed.expect(Run.PARALLELISM);
        ExecutionEnvironmentImpl env =
                (ExecutionEnvironmentImpl) ExecutionEnvironment.getInstance();
        env.setParallelism(Run.PARALLELISM);
        env.fromSource(
                        DataStreamV2SourceUtils.wrapSource(new SplitSource(run.feed, Run.RECORDS)),
                        "numbers")
                .keyBy(number -> number % 40)
                .process(new Counting())
                .toSink(DataStreamV2SinkUtils.wrapSink(new BatchSink(run.results.name)));
        env.getTransformations().forEach(run.env::addOperator);
    }

    private static final class Counting implements OneInputStreamProcessFunction<Long, String> {
        private static final long serialVersionUID = 1L;
        private static final ValueStateDeclaration<Long> COUNT =
                StateDeclarations.valueState("count", TypeDescriptors.LONG);

        @Override
        public Set<StateDeclaration> usesStates() {
            return Collections.singleton(COUNT);
        }

        @Override
        public void processRecord(
                Long number,
                org.apache.flink.datastream.api.common.Collector<String> out,
                PartitionedContext<String> context)
                throws Exception {
            ValueState<Long> count = context.getStateManager().getState(COUNT);
            long next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            out.collect(number % 40 + ": " + next);
        }
    }

    private static final class Numbering
            extends KeyedProcessFunction<
                    Integer, Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<Tuple2<Integer, Integer>> out) {
            count.asyncValue()
                    .thenCompose(
                            before -> {
                                int next = before == null ? 1 : before + 1;
                                out.collect(Tuple2.of(event.f1, next));
                                return count.asyncUpdate(next);
                            });
        }
    }
}
