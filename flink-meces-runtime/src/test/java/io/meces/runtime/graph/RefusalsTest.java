/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.state.MecesStateBackend;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink.Committer;
import org.apache.flink.api.connector.sink.GlobalCommitter;
import org.apache.flink.api.connector.sink.Sink;
import org.apache.flink.api.connector.sink.SinkWriter;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.IterativeStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.operators.collect.CollectSinkOperatorFactory;
import org.apache.flink.streaming.api.operators.collect.CollectStreamSink;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user reads of jobs that cannot be rescaled: the document says it word for word. */
class RefusalsTest {

    private static final String ONE_SUBTASK =
            "must be one subtask (executeAndCollect(), or the global committer of a sink), but"
                    + " would become several with the vertex that it is chained to. Put"
                    + " rebalance() before the sink.";

    private static Arguments job(
            String what, String text, Consumer<StreamExecutionEnvironment> job) {
        return Arguments.of(what, text, job);
    }

    private static Arguments job(String what, Consumer<StreamExecutionEnvironment> job) {
        return Arguments.of(what, job);
    }

    private static Stream<Arguments> jobs() {
        return Stream.of(
                job(
                        "no keyBy",
                        "The job has no vertex that is fed by keyBy, and by broadcast() or nothing"
                                + " else.",
                        env -> source(env).addSink(new DiscardingSink<>())),
                job(
                        "batch",
                        "Vertex 'Source: numbers' has a blocking output. Only streaming jobs"
                                + " (execution.runtime-mode: STREAMING) can be rescaled.",
                        env -> {
                            env.setRuntimeMode(RuntimeExecutionMode.BATCH);
                            counted(source(env)).addSink(new DiscardingSink<>());
                        }),
                job(
                        "pointwise exchange",
                        "The exchange from 'count' to 'Sink: out' is pointwise (forward or rescale)."
                                + " Chain the two operators, or put rebalance() or keyBy() between"
                                + " them.",
                        env ->
                                counted(source(env))
                                        .rescale()
                                        .addSink(new DiscardingSink<>())
                                        .name("out")),
                job(
                        "iteration",
                        "which is not supported next to a rescalable vertex. Supported are sources"
                                + " and operators with one or more inputs.",
                        env -> {
                            IterativeStream<Long> loop = source(env).rebalance().iterate(1_000);
                            DataStream<Long> body = counted(loop);
                            loop.closeWith(body);
                            body.addSink(new DiscardingSink<>());
                        }),
                job(
                        "queryable state",
                        "is queryable state (asQueryableState), whose clients would ask the wrong"
                                + " subtask after a rescale.",
                        env -> keyed(source(env)).asQueryableState("numbers")),
                job(
                        "file sink",
                        "names files by subtask and a counter. A subtask that is activated under an"
                                + " index that another had would begin to count anew, and overwrite"
                                + " that one's files. Put rebalance() before the sink.",
                        env ->
                                counted(source(env))
                                        .addSink(
                                                StreamingFileSink.forRowFormat(
                                                                new Path("/nowhere"),
                                                                new SimpleStringEncoder<Long>())
                                                        .build())),
                job(
                        "collected results",
                        ONE_SUBTASK,
                        env -> {
                            env.setParallelism(1);
                            collect(counted(source(env)));
                        }),
                job(
                        "global committer",
                        ONE_SUBTASK,
                        env -> {
                            env.setParallelism(1);
                            counted(source(env)).sinkTo(new GloballyCommitted());
                        }),
                job(
                        "asynchronous I/O before keyed state",
                        "may give records on later than it gets them (such as asynchronous I/O), to"
                                + " keyed state in the same chain, which may have left by then. Put"
                                + " keyBy() behind it.",
                        env ->
                                DataStreamUtils.reinterpretAsKeyedStream(
                                                asked(keyed(source(env))), n -> n, Types.LONG)
                                        .sum(0)
                                        .addSink(new DiscardingSink<>())),
                job(
                        "unaligned checkpoints",
                        "The job uses unaligned checkpoints, which cannot be combined with live"
                                + " rescaling. Set execution.checkpointing.unaligned: false.",
                        env -> {
                            env.enableCheckpointing(1_000);
                            env.getCheckpointConfig().enableUnalignedCheckpoints();
                            counted(source(env)).addSink(new DiscardingSink<>());
                        }),
                job(
                        "another state backend",
                        "The job uses the state backend MemoryStateBackend. Set state.backend:"
                                + " io.meces.state.MecesStateBackendFactory, and no other in the"
                                + " code of the job.",
                        env -> {
                            env.setStateBackend(new MemoryStateBackend());
                            counted(source(env)).addSink(new DiscardingSink<>());
                        }));
    }

    private static DataStream<Long> source(StreamExecutionEnvironment env) {
        return env.fromSequence(0, 10).name("numbers");
    }

    private static KeyedStream<Long, Long> keyed(DataStream<Long> numbers) {
        return numbers.keyBy(n -> n, Types.LONG);
    }

    private static DataStream<Long> counted(DataStream<Long> numbers) {
        return keyed(numbers)
                .map((MapFunction<Long, Long>) n -> n)
                .returns(Types.LONG)
                .name("count");
    }

    private static DataStream<Long> asked(DataStream<Long> numbers) {
        return AsyncDataStream.orderedWait(numbers, new Answer(), 1, TimeUnit.SECONDS)
                .returns(Types.LONG);
    }

    private static final class Answer extends RichAsyncFunction<Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public void asyncInvoke(Long number, ResultFuture<Long> result) {
            result.complete(Collections.singleton(number));
        }
    }

    /** What {@link DataStream#executeAndCollect()} adds to a job. */
    private static void collect(DataStream<Long> numbers) {
        StreamExecutionEnvironment env = numbers.getExecutionEnvironment();
        env.addOperator(
                new CollectStreamSink<>(
                                numbers,
                                new CollectSinkOperatorFactory<>(
                                        Types.LONG.createSerializer(env.getConfig()), "results"))
                        .getTransformation());
    }

    /** Is never run. */
    private static final class GloballyCommitted implements Sink<Long, Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<Long, Long, Long> createWriter(InitContext context, List<Long> states) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Committer<Long>> createCommitter() {
            return Optional.empty();
        }

        @Override
        public Optional<GlobalCommitter<Long, Long>> createGlobalCommitter() {
            return Optional.of(new NoCommitter());
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getCommittableSerializer() {
            return Optional.of(new NoSerializer());
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getGlobalCommittableSerializer() {
            return Optional.of(new NoSerializer());
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getWriterStateSerializer() {
            return Optional.empty();
        }
    }

    private static final class NoCommitter implements GlobalCommitter<Long, Long> {

        @Override
        public List<Long> filterRecoveredCommittables(List<Long> committables) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Long combine(List<Long> committables) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Long> commit(List<Long> committables) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void endOfInput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class NoSerializer implements SimpleVersionedSerializer<Long> {

        @Override
        public int getVersion() {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] serialize(Long number) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Long deserialize(int version, byte[] bytes) {
            throw new UnsupportedOperationException();
        }
    }

    private static Stream<Arguments> jobsThatCanBeRescaled() {
        return Stream.of(
                job(
                        "asynchronous I/O behind keyed state",
                        env -> asked(counted(source(env))).addSink(new DiscardingSink<>())),
                job(
                        "sinks of one subtask behind rebalance()",
                        env -> {
                            env.setParallelism(1);
                            DataStream<Long> balanced = counted(source(env)).rebalance();
                            balanced.sinkTo(new GloballyCommitted());
                            collect(balanced);
                        }),
                job(
                        "sinks of one subtask behind several",
                        env -> {
                            DataStream<Long> counted = counted(source(env));
                            counted.sinkTo(new GloballyCommitted());
                            collect(counted);
                        }),
                job(
                        "sinks of one subtask chained to a vertex that stays at one",
                        env -> {
                            env.setParallelism(1);
                            env.setMaxParallelism(1);
                            DataStream<Long> counted = counted(source(env));
                            counted.sinkTo(new GloballyCommitted());
                            collect(counted);
                        }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobsThatCanBeRescaled")
    void aJobThatCanBeRescaledIsNotRefused(String what, Consumer<StreamExecutionEnvironment> job)
            throws Exception {
        assertThat(rewrite(what, job).refusal()).isNull();
    }

    private static ElasticJobGraph rewrite(String what, Consumer<StreamExecutionEnvironment> job)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setStateBackend(new MecesStateBackend());
        job.accept(env);
        JobGraph graph = env.getStreamGraph(what).getJobGraph();
        return ElasticJobGraph.rewrite(
                graph,
                new Configuration(),
                RefusalsTest.class.getClassLoader(),
                RestoredState.NONE);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobs")
    void aJobThatCannotBeRescaledSaysWhyAndWhatToDo(
            String what, String text, Consumer<StreamExecutionEnvironment> job) throws Exception {
        ElasticJobGraph elastic = rewrite(what, job);

        assertThat(elastic.vertices()).isEmpty();
        assertThat(elastic.refusal()).contains(text);
        String document =
                new String(
                        Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                        StandardCharsets.UTF_8);
        assertThat(document).contains(text);
    }
}
