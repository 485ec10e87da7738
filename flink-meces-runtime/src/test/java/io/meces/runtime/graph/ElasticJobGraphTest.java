// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.job.ElasticVertex;
import io.meces.flink.runtime.TestGraphs;
import io.meces.state.MecesStateBackend;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.MultipleConnectedStreams;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.co.CoStreamMap;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.util.Collector;
import org.apache.flink.util.StringUtils;
import org.junit.jupiter.api.Test;

/** Which vertices are elastic, and what is refused with which reason. */
class ElasticJobGraphTest {

    private static final MapStateDescriptor<Long, Long> RULES =
            new MapStateDescriptor<>("rules", Types.LONG, Types.LONG);

    private static final String USER_HASH = "0123456789abcdef0123456789abcdef";

    private final StreamExecutionEnvironment env = environment();
    private JobGraph sums;

    private static StreamExecutionEnvironment environment() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(KeyGroupRangeAssignment.DEFAULT_LOWER_BOUND_MAX_PARALLELISM);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        return env;
    }

    private ElasticJobGraph rewrite() throws Exception {
        return ElasticJobGraph.rewrite(
                TestGraphs.of(env, "job"),
                new Configuration(),
                getClass().getClassLoader(),
                RestoredState.NONE);
    }

    private Stream<String> elastic() throws Exception {
        ElasticJobGraph graph = rewrite();
        assertThat(graph.refusal()).isNull();
        return graph.vertices().stream().map(ElasticVertex::name);
    }

    private DataStream<Long> numbers() {
        return env.fromSequence(1, 10);
    }

    private KeyedMultipleInputTransformation<Long> multipleInputs(ChainingStrategy chaining) {
        NeverMade factory = new NeverMade();
        factory.setChainingStrategy(chaining);
        return new KeyedMultipleInputTransformation<>(
                "several", factory, Types.LONG, 2, Types.LONG);
    }

    private void addOperator(KeyedMultipleInputTransformation<Long> operator) {
        env.addOperator(operator);
        new MultipleConnectedStreams(env).transform(operator).addSink(new DiscardingSink<>());
    }

    private static KeySelector<Long, Long> self() {
        return n -> n;
    }

    @Test
    void anOperatorOfWhichAllInputsAreKeyedIsElastic() throws Exception {
        KeyedMultipleInputTransformation<Long> operator = multipleInputs(ChainingStrategy.ALWAYS);
        for (int i = 0; i < 3; i++) {
            operator.addInput(numbers().keyBy(self()).getTransformation(), self());
        }
        addOperator(operator);
        assertThat(elastic()).hasSize(1).allMatch(name -> name.startsWith("several"));
    }

    @Test
    void anOperatorWithKeyedAndBroadcastInputsIsElastic() throws Exception {
        numbers()
                .keyBy(self())
                .connect(numbers().broadcast(RULES))
                .process(new ByRules())
                .name("rules")
                .addSink(new DiscardingSink<>());
        numbers()
                .keyBy(self())
                .connect(numbers().broadcast())
                .map(new Either())
                .name("two")
                .addSink(new DiscardingSink<>());
        KeyedMultipleInputTransformation<Long> operator = multipleInputs(ChainingStrategy.ALWAYS);
        operator.addInput(numbers().keyBy(self()).getTransformation(), self());
        operator.addInput(numbers().broadcast().getTransformation(), null);
        operator.addInput(numbers().keyBy(self()).getTransformation(), self());
        addOperator(operator);
        assertThat(elastic())
                .hasSize(3)
                .anyMatch(name -> name.startsWith("rules"))
                .anyMatch(name -> name.startsWith("two"))
                .anyMatch(name -> name.startsWith("several"));
    }

    @Test
    void anOperatorWithAFileSinkBehindARebalanceIsElastic() throws Exception {
        StreamingFileSink<Long> files =
                StreamingFileSink.forRowFormat(
                                new Path("/nowhere"), new SimpleStringEncoder<Long>())
                        .build();
        numbers().keyBy(self()).reduce(Long::sum).name("sum").rebalance().addSink(files);
        assertThat(elastic()).hasSize(1).allMatch(name -> name.startsWith("sum"));
    }

    @Test
    void anOperatorWithoutKeyedStateIsNotElastic() throws Exception {
        numbers().connect(numbers().broadcast()).map(new Either()).addSink(new DiscardingSink<>());
        numbers()
                .keyBy(self())
                .union(numbers().keyBy(self()))
                .map(n -> n)
                .addSink(new DiscardingSink<>());
        numbers()
                .keyBy(self())
                .union(numbers().broadcast())
                .map(n -> n)
                .addSink(new DiscardingSink<>());
        ElasticJobGraph graph = rewrite();
        assertThat(graph.vertices()).isEmpty();
        assertThat(graph.refusal()).contains("keyBy");
    }

    @Test
    void aSourceThatIsChainedBehindAnElasticVertexIsRefused() throws Exception {
        KeyedMultipleInputTransformation<Long> operator =
                multipleInputs(ChainingStrategy.HEAD_WITH_SOURCES);
        operator.addInput(
                numbers().keyBy(self()).map(n -> n).keyBy(self()).getTransformation(), self());
        operator.addInput(numbers().getTransformation(), self());
        addOperator(operator);
        assertThat(rewrite().refusal()).contains("'several").contains("source chained");
    }

    @Test
    void anOperatorThatSelectsItsInputIsRefused() throws Exception {
        numbers()
                .keyBy(self())
                .connect(numbers().keyBy(self()))
                .transform("choosy", Types.LONG, new Choosy())
                .addSink(new DiscardingSink<>());
        assertThat(rewrite().refusal()).contains("'choosy").contains("InputSelectable");
    }

    @Test
    void aVertexWithoutAMaxParallelismTakesOverThatOfItsState() throws Exception {
        JobVertex sum = sum(40);
        OperatorID second = sum.getOperatorIDs().get(1).getGeneratedOperatorID();

        assertThat(rewriteRestored(Collections.singletonMap(second, 256)))
                .satisfies(
                        elastic -> {
                            assertThat(elastic.maxParallelism()).isEqualTo(256);
                            assertThat(elastic.capacity()).isEqualTo(160);
                            assertThat(elastic.parallelism()).isEqualTo(40);
                        });
        assertThat(sum.getMaxParallelism()).isEqualTo(256);
    }

    @Test
    void aVertexKnowsItsStateByTheHashThatTheUserHasSetToo() throws Exception {
        sum(40);
        OperatorID byUser = new OperatorID(StringUtils.hexStringToByte(USER_HASH));

        assertThat(rewriteRestored(Collections.singletonMap(byUser, 256)).maxParallelism())
                .isEqualTo(256);
    }

    @Test
    void theMaxParallelismIsDerivedIfThatOfTheStateCannotBe() throws Exception {
        JobVertex sum = sum(100);
        OperatorID first = sum.getOperatorIDs().get(0).getGeneratedOperatorID();
        assertThat(rewriteRestored(Collections.singletonMap(first, 99)).maxParallelism())
                .isEqualTo(256);

        sum = sum(40);
        Map<OperatorID, Integer> contradictory = new HashMap<>();
        contradictory.put(sum.getOperatorIDs().get(0).getGeneratedOperatorID(), 256);
        contradictory.put(sum.getOperatorIDs().get(1).getGeneratedOperatorID(), 512);
        assertThat(rewriteRestored(contradictory).maxParallelism()).isEqualTo(128);

        sum(40);
        assertThat(
                        rewriteRestored(Collections.singletonMap(new OperatorID(1, 2), 256))
                                .maxParallelism())
                .isEqualTo(128);
    }

    @Test
    void nothingIsReadIfEachElasticVertexHasAMaxParallelism() throws Exception {
        sum(40).setMaxParallelism(500);
        ElasticJobGraph graph =
                ElasticJobGraph.rewrite(
                        sums,
                        new Configuration(),
                        getClass().getClassLoader(),
                        backend -> {
                            throw new AssertionError("read");
                        });
        assertThat(graph.vertices().get(0).maxParallelism()).isEqualTo(500);
    }

    /**
     * Makes {@link #sums}, a job without a max parallelism; its elastic vertex of two operators.
     */
    private JobVertex sum(int parallelism) {
        StreamExecutionEnvironment derived = StreamExecutionEnvironment.getExecutionEnvironment();
        derived.setParallelism(parallelism);
        derived.setStateBackend(new MecesStateBackend());
        derived.fromSequence(1, 10)
                .keyBy(self())
                .reduce(Long::sum)
                .name("sum")
                .setUidHash(USER_HASH)
                .addSink(new DiscardingSink<>());
        sums = TestGraphs.of(derived, "sums");
        JobVertex sum =
                Arrays.stream(sums.getVerticesAsArray())
                        .filter(vertex -> vertex.getName().startsWith("sum"))
                        .findAny()
                        .get();
        assertThat(sum.getOperatorIDs()).hasSize(2);
        return sum;
    }

    private ElasticVertex rewriteRestored(Map<OperatorID, Integer> maxParallelisms)
            throws Exception {
        ElasticJobGraph graph =
                ElasticJobGraph.rewrite(
                        sums,
                        new Configuration(),
                        getClass().getClassLoader(),
                        backend -> maxParallelisms);
        assertThat(graph.vertices()).hasSize(1);
        return graph.vertices().get(0);
    }

    /** An operator that wants to read its first input before its second. */
    private static final class Choosy extends CoStreamMap<Long, Long, Long>
            implements InputSelectable {
        private static final long serialVersionUID = 1L;

        Choosy() {
            super(new Either());
        }

        @Override
        public InputSelection nextSelection() {
            return InputSelection.FIRST;
        }
    }

    /** The factory of an operator of which only the graph is looked at. */
    private static final class NeverMade extends AbstractStreamOperatorFactory<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public <T extends StreamOperator<Long>> T createStreamOperator(
                StreamOperatorParameters<Long> parameters) {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return MultipleInputStreamOperator.class;
        }
    }

    private static final class ByRules
            extends KeyedBroadcastProcessFunction<Long, Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Long value, ReadOnlyContext context, Collector<Long> out) {
            out.collect(value);
        }

        @Override
        public void processBroadcastElement(Long rule, Context context, Collector<Long> out) {
            out.collect(rule);
        }
    }

    private static final class Either implements CoMapFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Long map1(Long value) {
            return value;
        }

        @Override
        public Long map2(Long value) {
            return value;
        }
    }
}
