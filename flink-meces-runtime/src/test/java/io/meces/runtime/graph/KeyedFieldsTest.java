// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.state.ForgetsKeys;
import io.meces.state.MecesStateBackend;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

/** Fields in which there may be values of keys are told of at the submission. */
class KeyedFieldsTest {

    private static List<String> warnings(RichMapFunction<Long, Long> function) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        // one that is not keyed may have what it likes
        env.fromSequence(0, 10)
                .map(new Caching())
                .keyBy(n -> n, Types.LONG)
                .map(function)
                .name("count")
                .addSink(new DiscardingSink<>());
        return warnings(env);
    }

    private static List<String> warnings(StreamExecutionEnvironment env) throws Exception {
        env.setParallelism(2);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        return ElasticJobGraph.rewrite(
                        TestGraphs.of(env, "fields"),
                        new Configuration(),
                        KeyedFieldsTest.class.getClassLoader(),
                        RestoredState.NONE)
                .warnings();
    }

    @Test
    void fieldsOfUsersAreNamedWithTheRemedy() throws Exception {
        String text =
                " has the field(s) %s. If there are values of keys in it, results may be wrong after"
                        + " a rescale, as a key may leave, change and come back. Keep them in state,"
                        + " or implement io.meces.state.ForgetsKeys.";

        assertThat(warnings(new Caching()))
                .singleElement()
                .asString()
                .startsWith(Caching.class.getName() + " in vertex 'count -> ")
                .endsWith(String.format(text, "recent, seen, waiting, inScala, cache"));
        String document =
                new String(
                        Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                        StandardCharsets.UTF_8);
        assertThat(document).contains("… in vertex '…'" + String.format(text, "…"));
    }

    @Test
    void functionsOfWindowsAreFound() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(0, 10)
                .keyBy(n -> n, Types.LONG)
                .window(TumblingEventTimeWindows.of(Time.seconds(1)))
                .process(new CachingWindows())
                .returns(Types.LONG)
                .addSink(new DiscardingSink<>());

        assertThat(warnings(env))
                .singleElement()
                .asString()
                .startsWith(CachingWindows.class.getName())
                .contains("has the field(s) seen.");
    }

    @Test
    void whoForgetsIsNotNamed() throws Exception {
        assertThat(warnings(new Forgetting())).isEmpty();
    }

    @Test
    void stateAndConfigurationAreNotNamed() throws Exception {
        assertThat(warnings(new Configured())).isEmpty();
    }

    @Test
    void listStateOfUsersIsNamedWithTheRemedy() throws Exception {
        String text =
                " may have list state (CheckpointedFunction, ListCheckpointed). What a subtask that"
                        + " leaves in a rescale has in it is used again only after the next restart"
                        + " of the job. Keep records that wait in keyed state.";

        assertThat(warnings(new Checkpointed()))
                .singleElement()
                .asString()
                .startsWith("Operator 'count' of vertex 'count -> ")
                .endsWith(text);
        String document =
                new String(
                        Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                        StandardCharsets.UTF_8);
        assertThat(document).contains("\"Operator '…' of vertex '…'" + text);
    }

    private static final class Checkpointed extends RichMapFunction<Long, Long>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        @Override
        public void initializeState(FunctionInitializationContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Long map(Long number) {
            throw new UnsupportedOperationException();
        }
    }

    private static class Caching extends RichMapFunction<Long, Long> {
        private static final long serialVersionUID = 1L;
        private static final Map<Long, Long> STATIC = new HashMap<>();
        private transient Map<Long, Long> recent;
        private final HashSet<Long> seen = new HashSet<>();
        private transient List<Long> waiting;
        private transient scala.collection.immutable.Map<Long, Long> inScala;
        private transient LongCache cache;

        @Override
        public Long map(Long number) {
            STATIC.remove(number);
            throw new UnsupportedOperationException(recent + "" + seen + waiting + inScala + cache);
        }
    }

    private static final class LongCache {}

    private static final class Forgetting extends Caching implements ForgetsKeys {
        private static final long serialVersionUID = 1L;

        @Override
        public void forgetKeys() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Configured extends RichMapFunction<Long, Long> {
        private static final long serialVersionUID = 1L;
        private final Map<Long, Long> names = Collections.singletonMap(1L, 2L);
        private final scala.collection.immutable.Map<Long, Long> inScala = null;
        private transient MapState<Long, Long> state;

        @Override
        public Long map(Long number) {
            throw new UnsupportedOperationException(names + "" + inScala + state);
        }
    }

    private static final class CachingWindows
            extends ProcessWindowFunction<Long, Long, Long, TimeWindow> {
        private static final long serialVersionUID = 1L;
        private transient Set<Long> seen;

        @Override
        public void process(
                Long key, Context context, Iterable<Long> numbers, Collector<Long> out) {
            throw new UnsupportedOperationException("" + seen);
        }
    }
}
