// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.JoinFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.MultipleConnectedStreams;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rescales in jobs of various shapes, with the results of the same job never rescaled. */
@Tag("full")
@Timeout(120)
class TopologiesTest {

    private static final long RECORDS = 40_000;

    /** Per second and source: so that no job ends before its last rescale. */
    private static final int RATE = 2_000;

    private static final int LAST_RATE = 20_000;
    private static final int KEYS = 500;

    private static MecesMiniCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                MecesOptions.UNALIGNED_CHECKPOINTS, MecesOptions.UnalignedCheckpoints.REFUSE);
        cluster = Clusters.start(2, 6, configuration);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    /** Runs a bounded job to its end, with rescales while it runs. */
    private void run(StreamExecutionEnvironment env, Ledger ledger, Object... rescales)
            throws Exception {
        ledger.rate = RATE;
        JobID job = cluster.submit(TestGraphs.of(env, "topology"));
        Ledger.awaitOrFail(
                "the job runs",
                () -> ledger.emitted.get(0) > 500 && Clusters.knowsToRun(cluster, job, 0));
        for (int i = 0; i < rescales.length; i += 2) {
            RescaleDetails status =
                    cluster.rescale(job, (String) rescales[i], (Integer) rescales[i + 1])
                            .get(60, TimeUnit.SECONDS);
            assertThat(status.failure()).isNull();
        }
        assertThat(cluster.status(job).get()).as("still running").isEqualTo(JobStatus.RUNNING);
        ledger.rate = LAST_RATE;
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get().isGloballyTerminalState());
        assertThat(cluster.status(job).get()).isEqualTo(JobStatus.FINISHED);
        assertThat(ledger.verdict().violations).isEmpty();
    }

    @Test
    void adjacentElasticVerticesAreRescaledIndependently() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(300);
        Jobs.source(env, ledger, KEYS, RECORDS)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("first")
                .uid("first")
                .keyBy(r -> r.f0, Types.INT)
                .process(new Recount(ledger.name))
                .returns(Jobs.RESULT)
                .name("second")
                .uid("second")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        run(env, ledger, "first", 3, "second", 4, "first", 1, "second", 3, "first", 4, "second", 2);
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(2 * RECORDS);
        assertThat(ledger.late.get()).isZero();
    }

    @Test
    void twoInputsAreBothAligned() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(300);
        DataStream<Tuple3<Integer, Integer, Long>> left = Jobs.source(env, ledger, KEYS, RECORDS);
        DataStream<Tuple3<Integer, Integer, Long>> right =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, KEYS, RECORDS)
                                        .withNumbersFrom(4),
                                Jobs.RECORD)
                        .name("right")
                        .uid("right");
        left.keyBy(r -> r.f0, Types.INT)
                .connect(right.keyBy(r -> r.f0, Types.INT))
                .process(new Jobs.TwoInputCounter(ledger.name))
                .returns(Jobs.RESULT)
                .name("connected")
                .uid("connected")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        run(env, ledger, "connected", 4, "connected", 1, "connected", 3);
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(4 * RECORDS);
    }

    @Test
    void threeInputsAreAllAligned() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(300);
        KeyedMultipleInputTransformation<Tuple5<Integer, Integer, Long, Long, Integer>> three =
                new KeyedMultipleInputTransformation<>(
                        "three",
                        new ThreeInputCounter.Factory(ledger.name),
                        Jobs.RESULT,
                        env.getParallelism(),
                        Types.INT);
        for (int i = 0; i < 3; i++) {
            three.addInput(
                    env.addSource(
                                    new Jobs.SequenceSource(ledger.name, KEYS, RECORDS)
                                            .withNumbersFrom(2 * i),
                                    Jobs.RECORD)
                            .name("source " + i)
                            .uid("source " + i)
                            .keyBy(r -> r.f0, Types.INT)
                            .getTransformation(),
                    (KeySelector<Tuple3<Integer, Integer, Long>, Integer>) r -> r.f0);
        }
        three.setUid("three");
        env.addOperator(three);
        new MultipleConnectedStreams(env)
                .transform(three)
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        run(env, ledger, "three", 4, "three", 1, "three", 3);
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(6 * RECORDS);
        assertThat(ledger.late.get()).isZero();
        assertThat(ledger.timersFired.get()).isEqualTo(ledger.timersRegistered.get()).isPositive();
    }

    @Test
    void eventTimeWindowsHaveNoLateAndNoMissingResults() throws Exception {
        Collection<String> never = windows(new Ledger());
        Collection<String> rescaled =
                windows(new Ledger(), "windows", 4, "windows", 1, "windows", 3, "windows", 2);
        assertThat(rescaled).isEqualTo(never).isNotEmpty();
    }

    private Collection<String> windows(Ledger ledger, Object... rescales) throws Exception {
        OutputTag<Tuple3<Integer, Integer, Long>> lateTag = new OutputTag<>("late", Jobs.RECORD);
        StreamExecutionEnvironment env = Jobs.environment(300);
        org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator<
                        Tuple4<Integer, Long, Long, Long>>
                counts =
                        Jobs.source(env, ledger, KEYS, RECORDS)
                                .keyBy(r -> r.f0, Types.INT)
                                .window(TumblingEventTimeWindows.of(Time.milliseconds(1_000)))
                                .sideOutputLateData(lateTag)
                                .process(new Fold())
                                .returns(Types.TUPLE(Types.INT, Types.LONG, Types.LONG, Types.LONG))
                                .name("windows")
                                .uid("windows");
        TextSink sink = new TextSink(ledger.name);
        counts.rebalance().map(Object::toString).returns(Types.STRING).addSink(sink).name("out");
        counts.getSideOutput(lateTag)
                .rebalance()
                .map(r -> "late " + r)
                .returns(Types.STRING)
                .addSink(sink)
                .name("late");
        run(env, ledger, rescales);
        return TextSink.sorted(ledger.name);
    }

    @Test
    void aWindowJoinLosesNothing() throws Exception {
        Collection<String> never = joined(new Ledger());
        Collection<String> rescaled = joined(new Ledger(), "Window", 4, "Window", 2, "Window", 3);
        assertThat(rescaled).isEqualTo(never).isNotEmpty();
    }

    private Collection<String> joined(Ledger ledger, Object... rescales) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(300);
        DataStream<Tuple3<Integer, Integer, Long>> left = Jobs.source(env, ledger, KEYS, RECORDS);
        DataStream<Tuple3<Integer, Integer, Long>> right =
                env.addSource(
                                new Jobs.SequenceSource(ledger.name, KEYS, RECORDS)
                                        .withNumbersFrom(4),
                                Jobs.RECORD)
                        .name("right")
                        .uid("right");
        left.join(right)
                .where(r -> r.f0, Types.INT)
                .equalTo(r -> r.f0, Types.INT)
                .window(TumblingEventTimeWindows.of(Time.milliseconds(1_000)))
                .apply(
                        (JoinFunction<
                                        Tuple3<Integer, Integer, Long>,
                                        Tuple3<Integer, Integer, Long>,
                                        String>)
                                (a, b) -> a + "/" + b,
                        Types.STRING)
                .rebalance()
                .addSink(new TextSink(ledger.name))
                .name("out");
        for (int i = 0; i < rescales.length; i += 2) {
            rescales[i] = windowVertexName(env);
        }
        run(env, ledger, rescales);
        return TextSink.sorted(ledger.name);
    }

    private static String windowVertexName(StreamExecutionEnvironment env) {
        return java.util.stream.StreamSupport.stream(
                        TestGraphs.soFar(env).getVertices().spliterator(), false)
                .map(v -> v.getName())
                .filter(n -> n.contains("Window"))
                .findFirst()
                .orElseThrow(IllegalStateException::new);
    }

    @Test
    void newSourcesFeedElasticVertices() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(300);
        env.fromSource(
                        new PacedSequence(ledger.name, 1, 40_000),
                        WatermarkStrategy.noWatermarks(),
                        "numbers",
                        Types.LONG)
                .uid("numbers")
                .keyBy(n -> n % KEYS, Types.LONG)
                .process(new PacedSequence.Sum())
                .returns(Types.STRING)
                .name("sum")
                .uid("sum")
                .rebalance()
                .addSink(new TextSink(ledger.name))
                .name("out");
        run(env, ledger, "sum", 4, "sum", 1, "sum", 3);
        List<String> results = TextSink.sorted(ledger.name);
        assertThat(results).hasSize(40_000).doesNotHaveDuplicates();
        // the last sum of each key is that of all its numbers
        TreeMap<Long, Long> last = new TreeMap<>();
        for (String r : results) {
            String[] keyAndSum = r.split(" ");
            last.merge(Long.valueOf(keyAndSum[0]), Long.valueOf(keyAndSum[1]), Math::max);
        }
        TreeMap<Long, Long> expected = new TreeMap<>();
        for (long n = 1; n <= 40_000; n++) {
            expected.merge(n % KEYS, n, Long::sum);
        }
        assertThat(last).isEqualTo(expected);
    }

    @Test
    void aJobWithoutKeyByIsLeftAsItIs() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(300);
        Jobs.source(env, ledger, KEYS, 5_000)
                .rebalance()
                .map(r -> Tuple5.of(r.f0, r.f1, r.f2, Ledger.expectedState(r.f2), 0))
                .returns(Jobs.RESULT)
                .addSink(new Jobs.Books(ledger.name));
        JobID job = cluster.submit(TestGraphs.of(env, "stateless"));
        Elasticity elasticity = cluster.elasticity(job).get();
        assertThat(elasticity.vertices()).isEmpty();
        assertThat(elasticity.refusal()).contains("keyBy");
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get() == JobStatus.FINISHED);
        assertThat(ledger.verdict().distinct).isEqualTo(10_000);
    }

    @Test
    void aJobThatCannotBeRescaledRunsAndSaysWhy() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.counting(ledger, KEYS, 5_000, 300);
        env.getCheckpointConfig().enableUnalignedCheckpoints();
        JobID job = cluster.submit(TestGraphs.of(env, "unaligned"));
        assertThat(cluster.elasticity(job).get().refusal())
                .contains("unaligned checkpoints")
                .contains("execution.checkpointing.unaligned: false");
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get() == JobStatus.FINISHED);
        assertThat(ledger.verdict().distinct).isEqualTo(10_000);
    }

    /** Folds the sequence numbers of a window in the order in which they came. */
    private static final class Fold
            extends ProcessWindowFunction<
                    Tuple3<Integer, Integer, Long>,
                    Tuple4<Integer, Long, Long, Long>,
                    Integer,
                    TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key,
                Context context,
                Iterable<Tuple3<Integer, Integer, Long>> records,
                Collector<Tuple4<Integer, Long, Long, Long>> out) {
            long n = 0;
            long[] folded = new long[8];
            for (Tuple3<Integer, Integer, Long> r : records) {
                folded[r.f1] = folded[r.f1] * 31 + r.f2;
                n++;
            }
            long all = 0;
            for (long f : folded) {
                all = all * 1_000_003 + f;
            }
            out.collect(Tuple4.of(key, context.window().getStart(), n, all));
        }
    }

    /** Passes results on, and checks that they come in order per key and source. */
    private static final class Recount
            extends KeyedProcessFunction<
                    Integer,
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient Ledger ledger;
        private transient org.apache.flink.api.common.state.MapState<Integer, Long> folded;

        Recount(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            ledger = Ledger.named(ledgerName);
            folded =
                    getRuntimeContext()
                            .getMapState(
                                    new org.apache.flink.api.common.state.MapStateDescriptor<>(
                                            "sum", Types.INT, Types.LONG));
        }

        @Override
        public void processElement(
                Tuple5<Integer, Integer, Long, Long, Integer> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            // results of a key may overtake each other on their way from two subtasks of the first
            // vertex, so only their sum is compared
            Long before = folded.get(r.f1);
            folded.put(r.f1, (before == null ? 0 : before) + r.f2);
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                ledger.late.incrementAndGet();
            }
            out.collect(r);
        }
    }
}
