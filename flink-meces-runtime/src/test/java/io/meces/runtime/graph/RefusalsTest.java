// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.sink.SinkDrain;
import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.beam.runners.flink.translation.wrappers.streaming.DoFnOperator;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.connector.sink.Committer;
import org.apache.flink.api.connector.sink.GlobalCommitter;
import org.apache.flink.api.connector.sink.Sink;
import org.apache.flink.api.connector.sink.SinkWriter;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.IterativeStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.SimpleUdfStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.collect.CollectSinkOperatorFactory;
import org.apache.flink.streaming.api.operators.collect.CollectStreamSink;
import org.apache.flink.streaming.runtime.operators.CheckpointCommitter;
import org.apache.flink.streaming.runtime.operators.GenericWriteAheadSink;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user reads of jobs that cannot be rescaled: the document says it word for word. */
class RefusalsTest {

    private static final String ONE_SUBTASK =
            "must be one subtask (the global committer of a sink), but would become several with the"
                    + " vertex that it is chained to. Put rebalance() before the sink.";

    private static final String COORDINATED =
            "has a coordinator, which counts on a fixed number of subtasks (such as"
                    + " executeAndCollect(), and sinks that commit by a coordinator). If the"
                    + " operator needs no keyed state, put partitionCustom() by the same key before"
                    + " it, or rebalance() where the order of a key does not matter.";

    private static final String NO_KEY =
            "may give results on later than it gets their records, or for no key. Chain the two"
                    + " vertices, or put keyBy() between them, partitionCustom() by the same key, or"
                    + " rebalance() where the order of a key does not matter.";

    private static final String NUMBERED_FILES =
            "names files by subtask. A subtask that is activated under an index that another had"
                    + " would begin anew, and overwrite that one's files. Use FileSink, put"
                    + " partitionCustom() by the same key before the sink, or rebalance() where the"
                    + " order of a key does not matter.";

    private static final String FILE_PER_SUBTASK =
            "writes each file in one subtask. After a rescale results of a key that has moved go on"
                    + " in a file of another subtask, as after a restart at another parallelism."
                    + " Put partitionCustom() by the same key before the sink if readers go by the"
                    + " order of files.";

    private static final String UNKNOWN_SINK =
            "is a sink that may hold records back, and it is not known how to have it write them"
                    + " before keys move: results of a key could get outside in the wrong order."
                    + " Put partitionCustom() by the same key before it, bring an"
                    + " io.meces.runtime.sink.SinkDrain for its function, or set"
                    + " meces.rescale.unknown-sinks: ACCEPT.";

    private static final String BEAM =
            "is one of Apache Beam, which keeps the watermark holds of keys, and results of a"
                    + " bundle, in memory, where a rescale cannot reach them. Stop such a job with"
                    + " a savepoint and start it from that at another parallelism.";

    private static final String COMMITTING =
            ". If two subtasks wrote a key for the same commit, its result could be wrong. What"
                    + " stands before the operator can be rescaled: put keyBy() or"
                    + " partitionCustom() by the same key between, or, where the order of a key does"
                    + " not matter, rebalance() or another parallelism of the sink (such as"
                    + " writeParallelism() of Iceberg's). Or set meces.rescale.unknown-sinks: ACCEPT"
                    + " if no key is written twice.";

    private static final String WRITES_OUTSIDE =
            "takes part in checkpoints, and gives its results to no other, so it writes outside. If"
                    + " two";

    private static final String RAW_KEYED_STATE =
            "writes raw keyed state, which cannot be moved while it runs. Use keyed state of the"
                    + " state backend. A job of a framework that writes it, such as Stateful"
                    + " Functions, gets another parallelism by a savepoint and a restart.";

    private static final String FEWER = "' can have more subtasks, but not fewer:";
    private static final String TOO_EARLY =
            " acts at the end of its input (BoundedOneInput, BoundedMultiInput), which would come"
                    + " too early in a subtask that leaves.";

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
                                + " (execution.runtime-mode: STREAMING) can be rescaled, in which no operator"
                                + " waits for the end of its input, as fullWindowPartition() does.",
                        env -> {
                            env.setRuntimeMode(RuntimeExecutionMode.BATCH);
                            counted(source(env)).addSink(new DiscardingSink<>());
                        }),
                job(
                        "pointwise exchange behind asynchronous I/O",
                        NO_KEY,
                        env ->
                                asked(counted(source(env)))
                                        .rescale()
                                        .addSink(new DiscardingSink<>())
                                        .name("out")),
                job(
                        "pointwise exchange behind an operator of a user",
                        NO_KEY,
                        env ->
                                counted(source(env))
                                        .transform("total", Types.LONG, new Total())
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
                        "iteration of a function that takes part in checkpoints",
                        "which is not supported next to a rescalable vertex.",
                        env -> {
                            IterativeStream<Long> loop = source(env).rebalance().iterate(1_000);
                            DataStream<Long> body = keyed(loop).flatMap(new Writer());
                            loop.closeWith(body);
                            body.addSink(new DiscardingSink<>());
                        }),
                job(
                        "queryable state",
                        "is queryable state (asQueryableState), whose clients would ask the wrong"
                                + " subtask after a rescale.",
                        env -> keyed(source(env)).asQueryableState("numbers")),
                job(
                        "a file sink of a builder that is not Flink's",
                        NUMBERED_FILES,
                        env -> counted(source(env)).addSink(new OwnBuilder().build())),
                job(
                        "text files",
                        NUMBERED_FILES,
                        env -> counted(source(env)).writeAsText("/nowhere")),
                job(
                        "a sink function that takes part in checkpoints",
                        UNKNOWN_SINK,
                        env -> counted(source(env)).addSink(new Collecting())),
                job(
                        "a sink that commits",
                        UNKNOWN_SINK,
                        env -> counted(source(env)).sinkTo(new Writing(true, false))),
                job(
                        "a writer with state",
                        UNKNOWN_SINK,
                        env -> counted(source(env)).sinkTo(new Writing(false, true))),
                job(
                        "a sink that writes ahead",
                        UNKNOWN_SINK,
                        env ->
                                keyed(source(env))
                                        .transform("write ahead", Types.LONG, writeAhead())),
                job(
                        "an operator that writes for one that commits",
                        "takes part in checkpoints, and writes for 'commit', which commits"
                                + COMMITTING,
                        env ->
                                committed(
                                        counted(source(env))
                                                .transform("write", Types.LONG, new Bundle()),
                                        1)),
                job(
                        "an operator that writes for one with a coordinator",
                        "takes part in checkpoints, and writes for 'coordinated', which commits"
                                + COMMITTING,
                        env ->
                                counted(source(env))
                                        .transform("write", Types.LONG, new Bundle())
                                        .rebalance()
                                        .transform("coordinated", Types.LONG, new Coordinated())),
                job(
                        "an operator that commits",
                        "acts when a checkpoint is complete, as those do that commit. If two",
                        env -> committed(counted(source(env)), 2)),
                job(
                        "an operator that nobody reads from",
                        WRITES_OUTSIDE,
                        env -> counted(source(env)).transform("write", Types.LONG, new Bundle())),
                job(
                        "a function that takes part in checkpoints and nobody reads from",
                        WRITES_OUTSIDE,
                        env -> counted(source(env)).flatMap(new Writer()).returns(Types.LONG)),
                job(
                        "raw keyed state",
                        RAW_KEYED_STATE,
                        env ->
                                keyed(source(env))
                                        .transform("raw", Types.LONG, new Raw())
                                        .addSink(new DiscardingSink<>())),
                job(
                        "raw keyed state of an operator that a factory makes",
                        RAW_KEYED_STATE,
                        env ->
                                keyed(source(env))
                                        .transform("raw", Types.LONG, new RawFactory())
                                        .addSink(new DiscardingSink<>())),
                job(
                        "a co-location group",
                        "is in a co-location group with 'Sink: out': subtasks of the same index run"
                                + " together, so all have equally many. Leave"
                                + " setCoLocationGroupKey() out. A job of a framework that sets it"
                                + " gets another parallelism by a savepoint and a restart.",
                        env -> {
                            DataStream<Long> counted = counted(source(env));
                            counted.getTransformation().setCoLocationGroupKey("together");
                            counted.rebalance()
                                    .addSink(new DiscardingSink<>())
                                    .name("out")
                                    .getTransformation()
                                    .setCoLocationGroupKey("together");
                        }),
                job(
                        "collected results",
                        COORDINATED,
                        env -> {
                            env.setParallelism(1);
                            collect(counted(source(env)));
                        }),
                job(
                        "a parameter that is no number",
                        "The job has the parameter meces.rescale.max-parallelism = 'many'; it must"
                                + " be a whole number, at least 1.",
                        env -> {
                            env.getConfig()
                                    .setGlobalJobParameters(
                                            ParameterTool.fromMap(
                                                    Collections.singletonMap(
                                                            "meces.rescale.max-parallelism",
                                                            "many")));
                            counted(source(env)).addSink(new DiscardingSink<>());
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
                        "Apache Beam",
                        BEAM,
                        env ->
                                keyed(source(env))
                                        .transform("do", Types.LONG, new DoFnOperator())
                                        .addSink(new DiscardingSink<>())),
                job(
                        "unaligned checkpoints",
                        "The job uses unaligned checkpoints, which cannot be combined with live"
                                + " rescaling. Set execution.checkpointing.unaligned: false for it,"
                                + " or have such jobs take aligned ones, by"
                                + " meces.rescale.unaligned-checkpoints: ALIGN.",
                        env -> {
                            env.enableCheckpointing(1_000);
                            env.getCheckpointConfig().enableUnalignedCheckpoints();
                            counted(source(env)).addSink(new DiscardingSink<>());
                        }),
                job(
                        "another state backend",
                        "The job uses the state backend OfAUser. State of jobs that use Flink's own"
                                + " backends can move: have none of another class in the job or in"
                                + " state.backend, and do not set"
                                + " meces.rescale.replace-heap-backends: false.",
                        env -> {
                            TestGraphs.setStateBackend(env, new OfAUser());
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

    @Test
    void anOperatorThatActsAtTheEndOfItsInputIsToldOf() throws Exception {
        ElasticJobGraph elastic =
                rewrite(
                        "final result",
                        env ->
                                counted(source(env))
                                        .transform("total", Types.LONG, new Total())
                                        .addSink(new DiscardingSink<>()));

        assertThat(elastic.warnings())
                .singleElement()
                .asString()
                .contains(
                        FEWER
                                + " its operator 'total' ("
                                + Total.class.getName()
                                + ")"
                                + TOO_EARLY);
        assertDocumented(FEWER + " its operator '…' (…)" + TOO_EARLY);
        assertDocumented(
                "Parallelism … is not possible for vertex …, which cannot have fewer subtasks: its"
                        + " operator '…' (…)"
                        + TOO_EARLY
                        + " Put rebalance() before that operator, or give the sink that it belongs"
                        + " to another parallelism (such as writeParallelism() of Iceberg's). One"
                        + " of your own can flush in prepareSnapshotPreBarrier() instead.");
    }

    @Test
    void aFileSinkIsToldOf() throws Exception {
        Path path = new Path("file:///nowhere");
        SimpleStringEncoder<Long> encoder = new SimpleStringEncoder<>();
        for (boolean numbered : new boolean[] {false, true}) {
            ElasticJobGraph elastic =
                    rewrite(
                            "files",
                            env -> {
                                DataStream<Long> results = counted(source(env));
                                if (numbered) {
                                    results.addSink(
                                            StreamingFileSink.forRowFormat(path, encoder).build());
                                } else {
                                    results.sinkTo(FileSink.forRowFormat(path, encoder).build());
                                }
                            });
            assertThat(elastic.refusal()).isNull();
            assertThat(elastic.warnings()).singleElement().asString().contains(FILE_PER_SUBTASK);
        }
        assertDocumented(FILE_PER_SUBTASK);
    }

    private static JobGraph unaligned() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        env.enableCheckpointing(4_321);
        env.getCheckpointConfig().setCheckpointTimeout(54_321);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(7);
        env.getCheckpointConfig().enableUnalignedCheckpoints();
        counted(source(env)).addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "unaligned");
    }

    private static void assertUnaligned(JobGraph graph, boolean unaligned) {
        assertThat(
                        graph.getCheckpointingSettings()
                                .getCheckpointCoordinatorConfiguration()
                                .isUnalignedCheckpointsEnabled())
                .isEqualTo(unaligned);
        for (JobVertex vertex : graph.getVertices()) {
            assertThat(new StreamConfig(vertex.getConfiguration()).isUnalignedCheckpointsEnabled())
                    .isEqualTo(unaligned);
        }
    }

    private static ElasticJobGraph aligned(JobGraph graph, RestoredState restored)
            throws Exception {
        Configuration align = new Configuration();
        align.set(MecesOptions.UNALIGNED_CHECKPOINTS, MecesOptions.UnalignedCheckpoints.ALIGN);
        return ElasticJobGraph.rewrite(graph, align, RefusalsTest.class.getClassLoader(), restored);
    }

    @Test
    void unalignedCheckpointsBecomeAlignedWhereThatIsAskedFor() throws Exception {
        JobGraph graph = unaligned();
        CheckpointCoordinatorConfiguration before =
                graph.getCheckpointingSettings().getCheckpointCoordinatorConfiguration();
        assertUnaligned(graph, true);
        ElasticJobGraph elastic = aligned(graph, RestoredState.NONE);
        assertThat(elastic.refusal()).isNull();
        assertUnaligned(graph, false);
        String warning =
                "The job asks for unaligned checkpoints, but takes aligned ones"
                        + " (meces.rescale.unaligned-checkpoints: ALIGN). Under back pressure they"
                        + " take longer.";
        assertThat(elastic.warnings()).containsExactly(warning);
        assertDocumented(warning);
        // nothing else is changed
        graph = unaligned();
        assertThat(graph.getCheckpointingSettings().getCheckpointCoordinatorConfiguration())
                .isEqualTo(before);
        aligned(graph, RestoredState.NONE);
        assertThat(
                        graph.getCheckpointingSettings()
                                .getCheckpointCoordinatorConfiguration()
                                .toString())
                .isEqualTo(
                        before.toString()
                                .replace(
                                        "isUnalignedCheckpoint=true",
                                        "isUnalignedCheckpoint=false"));
    }

    @Test
    void recordsInFlightAreNotLeftBehind() throws Exception {
        JobGraph graph = unaligned();
        ElasticJobGraph elastic =
                aligned(
                        graph,
                        new RestoredState() {
                            @Override
                            public Map<OperatorID, Integer> maxParallelisms(StateBackend backend) {
                                return Collections.emptyMap();
                            }

                            @Override
                            public boolean hasRecordsInFlight() {
                                return true;
                            }
                        });
        String refusal =
                "The job goes on from an unaligned checkpoint with records in flight, so it keeps to"
                        + " unaligned checkpoints. Stop it with a savepoint and start it from that"
                        + " to have it rescaled.";
        assertThat(elastic.refusal()).isEqualTo(refusal);
        assertUnaligned(graph, true);
        assertDocumented(refusal);
    }

    @Test
    void aPointwiseExchangeIsReplaced() throws Exception {
        ElasticJobGraph elastic =
                rewrite(
                        "forward",
                        env ->
                                counted(source(env))
                                        .map(n -> n)
                                        .returns(Types.LONG)
                                        .name("next")
                                        .disableChaining()
                                        .addSink(new DiscardingSink<>()));

        String warning =
                "was pointwise (forward or rescale). Results now go by the key of 'count' to one of"
                        + " the 2 subtasks of 'next', which is not rescaled with it. Chain the two"
                        + " to have both rescaled.";
        assertThat(elastic.warnings())
                .singleElement()
                .asString()
                .endsWith("The exchange from 'count' to 'next' " + warning);
        assertDocumented(
                warning.replace("'count'", "'…'")
                        .replace("'next'", "'…'")
                        .replace("2 sub", "… sub"));
    }

    /** Is never run. */
    private static final class Total extends StreamMap<Long, Long> implements BoundedOneInput {
        private static final long serialVersionUID = 1L;

        Total() {
            super(n -> n);
        }

        @Override
        public void endInput() {
            throw new UnsupportedOperationException();
        }
    }

    /** As that of Cassandra; is never run. */
    private static GenericWriteAheadSink<Long> writeAhead() {
        try {
            return new WriteAhead();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class WriteAhead extends GenericWriteAheadSink<Long> {
        private static final long serialVersionUID = 1L;

        WriteAhead() throws Exception {
            super(new NoRecord(), LongSerializer.INSTANCE, "job");
        }

        @Override
        protected boolean sendValues(Iterable<Long> values, long checkpoint, long timestamp) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class NoRecord extends CheckpointCommitter {
        private static final long serialVersionUID = 1L;

        @Override
        public void open() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void createResource() {
            // there is none
        }

        @Override
        public void commitCheckpoint(int subtask, long checkpoint) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isCheckpointCommitted(int subtask, long checkpoint) {
            throw new UnsupportedOperationException();
        }
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

    private static final class NoCommits implements Committer<Long> {

        @Override
        public List<Long> commit(List<Long> committables) {
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

    /** Is never run. */
    private static class Collecting implements SinkFunction<Long>, CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            throw new UnsupportedOperationException();
        }
    }

    /** May name files in a way of its own. */
    private static final class OwnBuilder
            extends StreamingFileSink.RowFormatBuilder<Long, String, OwnBuilder> {
        private static final long serialVersionUID = 1L;

        OwnBuilder() {
            super(
                    new Path("file:///nowhere"),
                    new SimpleStringEncoder<>(),
                    new BasePathBucketAssigner<>());
        }
    }

    /** Knows {@link Known}; found by its file in META-INF/services. */
    public static final class Drain implements SinkDrain {
        @Override
        public boolean knows(Object sink) {
            return sink instanceof Known;
        }

        @Override
        public ThrowingRunnable<Exception> workToDrain(Object sink) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Known extends Collecting {
        private static final long serialVersionUID = 1L;
    }

    /** Is never run. */
    private static final class Writing implements Sink<Long, Long, Long, Long> {
        private static final long serialVersionUID = 1L;
        private final boolean commits;
        private final boolean hasState;

        private Writing(boolean commits, boolean hasState) {
            this.commits = commits;
            this.hasState = hasState;
        }

        @Override
        public SinkWriter<Long, Long, Long> createWriter(InitContext context, List<Long> states) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Committer<Long>> createCommitter() {
            return commits ? Optional.of(new NoCommits()) : Optional.empty();
        }

        @Override
        public Optional<GlobalCommitter<Long, Long>> createGlobalCommitter() {
            return Optional.empty();
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getCommittableSerializer() {
            return commits ? Optional.of(new NoSerializer()) : Optional.empty();
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getGlobalCommittableSerializer() {
            return Optional.empty();
        }

        @Override
        public Optional<SimpleVersionedSerializer<Long>> getWriterStateSerializer() {
            return hasState ? Optional.of(new NoSerializer()) : Optional.empty();
        }
    }

    private static Stream<Arguments> jobsThatCanBeRescaled() {
        return Stream.of(
                job(
                        "a sink that a SinkDrain knows",
                        env -> counted(source(env)).addSink(new Known())),
                job(
                        "a writer without state that does not commit",
                        env -> counted(source(env)).sinkTo(new Writing(false, false))),
                job(
                        "a sink that takes part in checkpoints behind partitionCustom()",
                        env ->
                                counted(source(env))
                                        .partitionCustom(
                                                (Partitioner<Long>) (k, n) -> (int) (k % n), k -> k)
                                        .addSink(new Collecting())),
                job(
                        "an operator that gives on what it has collected before a barrier",
                        env ->
                                counted(source(env))
                                        .transform("bundle", Types.LONG, new Bundle())
                                        .addSink(new DiscardingSink<>())),
                job(
                        "an operator that writes for one that commits, behind keyBy()",
                        env ->
                                committed(
                                        keyed(counted(source(env)))
                                                .transform("write", Types.LONG, new Bundle()),
                                        1)),
                job(
                        "an operator that writes for one that commits, of another parallelism",
                        env ->
                                committed(
                                        counted(source(env))
                                                .transform("write", Types.LONG, new Bundle())
                                                .setParallelism(3),
                                        1)),
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

    @Test
    void unknownSinksAreAcceptedIfThatIsConfigured() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.UNKNOWN_SINKS, MecesOptions.UnknownSinks.ACCEPT);
        assertThat(
                        rewrite(
                                        "accepted",
                                        env -> committed(counted(source(env)), 2),
                                        configuration)
                                .vertices())
                .hasSize(1);
        for (SinkFunction<Long> sink : Arrays.asList(new Collecting(), new Known())) {
            assertThat(
                            rewrite(
                                            "accepted",
                                            env -> counted(source(env)).addSink(sink),
                                            configuration)
                                    .refusal())
                    .isNull();
        }
    }

    @Test
    void checkpointsAreAwaitedWhereAnAbortedOneWouldHaveTwoCommitsBecomeOne() throws Exception {
        ElasticJobGraph elastic =
                rewrite(
                        "writer apart",
                        env ->
                                committed(
                                        counted(source(env))
                                                .rebalance()
                                                .transform("write", Types.LONG, new Bundle())
                                                .setParallelism(1),
                                        1));
        assertThat(elastic.refusal()).isNull();
        assertThat(elastic.awaitsCheckpoints()).isTrue();
        assertThat(elastic.warnings())
                .filteredOn(warning -> warning.contains("before each barrier"))
                .singleElement()
                .satisfies(
                        warning -> {
                            assertThat(warning).contains("'write'", "'commit'");
                            assertDocumented(
                                    warning.substring(warning.indexOf(" If a checkpoint") + 1));
                        });
        assertThat(
                        rewrite(
                                        "no committer",
                                        env ->
                                                counted(source(env))
                                                        .rebalance()
                                                        .transform(
                                                                "write", Types.LONG, new Bundle())
                                                        .addSink(new DiscardingSink<>()))
                                .awaitsCheckpoints())
                .isFalse();
    }

    @Test
    void anIterationThatIsNotNextToARescalableVertexIsPassedOver() throws Exception {
        ElasticJobGraph elastic =
                rewrite(
                        "behind an iteration",
                        env -> {
                            IterativeStream<Long> loop = source(env).rebalance().iterate(1_000);
                            DataStream<Long> body = loop.map(value -> value).returns(Types.LONG);
                            loop.closeWith(body);
                            DataStream<Long> behind =
                                    body.rebalance().map(value -> value).returns(Types.LONG);
                            counted(behind).addSink(new DiscardingSink<>());
                        });
        assertThat(elastic.refusal()).isNull();
        assertThat(elastic.awaitsCheckpoints()).isFalse();
    }

    /** As the sink of Iceberg has it, with its committer. */
    private static void committed(DataStream<Long> written, int committers) {
        written.transform("commit", Types.VOID, new Commit())
                .setParallelism(committers)
                .addSink(new DiscardingSink<>())
                .setParallelism(committers);
    }

    /** Gives on before a barrier what it has collected, to a file or to the next operator. */
    private static class Bundle extends StreamMap<Long, Long> {
        private static final long serialVersionUID = 1L;

        Bundle() {
            super(n -> n);
        }

        @Override
        public void prepareSnapshotPreBarrier(long checkpointId) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Commit extends AbstractStreamOperator<Void>
            implements OneInputStreamOperator<Long, Void> {
        private static final long serialVersionUID = 1L;

        Commit() {
            setChainingStrategy(ChainingStrategy.ALWAYS);
        }

        @Override
        public void processElement(StreamRecord<Long> file) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            throw new UnsupportedOperationException();
        }
    }

    /** Commits by a coordinator. */
    private static final class Coordinated extends SimpleUdfStreamOperatorFactory<Long>
            implements CoordinatedOperatorFactory<Long>, OneInputStreamOperatorFactory<Long, Long> {
        private static final long serialVersionUID = 1L;

        Coordinated() {
            super(new StreamMap<Long, Long>(n -> n));
        }

        @Override
        public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID id) {
            return new CollectSinkOperatorFactory<>(LongSerializer.INSTANCE, "results")
                    .getCoordinatorProvider(name, id);
        }
    }

    private static final class Raw extends StreamMap<Long, Long> {
        private static final long serialVersionUID = 1L;

        Raw() {
            super(n -> n);
        }

        @Override
        protected boolean isUsingCustomRawKeyedState() {
            return true;
        }
    }

    private static final class RawFactory extends AbstractStreamOperatorFactory<Long>
            implements OneInputStreamOperatorFactory<Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public <T extends StreamOperator<Long>> T createStreamOperator(
                StreamOperatorParameters<Long> parameters) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return Raw.class;
        }
    }

    private static final class Writer implements FlatMapFunction<Long, Long>, CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(Long value, Collector<Long> out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            throw new UnsupportedOperationException();
        }
    }

    /** Does more than Flink's own, for all that is known. */
    private static final class OfAUser extends MemoryStateBackend {
        private static final long serialVersionUID = 1L;

        @Override
        public OfAUser configure(ReadableConfig config, ClassLoader classLoader) {
            return this;
        }
    }

    private static ElasticJobGraph rewrite(String what, Consumer<StreamExecutionEnvironment> job)
            throws Exception {
        return rewrite(what, job, new Configuration());
    }

    private static ElasticJobGraph rewrite(
            String what, Consumer<StreamExecutionEnvironment> job, Configuration configuration)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        job.accept(env);
        JobGraph graph = TestGraphs.of(env, what);
        return ElasticJobGraph.rewrite(
                graph, configuration, RefusalsTest.class.getClassLoader(), RestoredState.NONE);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobs")
    void aJobThatCannotBeRescaledSaysWhyAndWhatToDo(
            String what, String text, Consumer<StreamExecutionEnvironment> job) throws Exception {
        ElasticJobGraph elastic = rewrite(what, job);

        assertThat(elastic.vertices()).isEmpty();
        assertThat(elastic.refusal()).contains(text);
        assertDocumented(text.replaceAll("'(many|commit|coordinated|Sink: out)'", "'…'"));
    }

    @Test
    void aVertexWithACoordinatorLeavesTheOthersElastic() throws Exception {
        ElasticJobGraph elastic =
                rewrite(
                        "collected results behind another vertex",
                        env -> {
                            env.setParallelism(1);
                            collect(counted(counted(source(env))));
                        });

        assertThat(elastic.refusal()).isNull();
        assertThat(elastic.vertices())
                .singleElement()
                .satisfies(vertex -> assertThat(vertex.name()).isEqualTo("count"));
        assertThat(elastic.warnings())
                .singleElement()
                .asString()
                .startsWith("Vertex 'count -> ")
                .endsWith(COORDINATED);
    }

    private static void assertDocumented(String text) throws IOException {
        String document =
                new String(
                        Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                        StandardCharsets.UTF_8);
        assertThat(document).contains(text);
    }
}
