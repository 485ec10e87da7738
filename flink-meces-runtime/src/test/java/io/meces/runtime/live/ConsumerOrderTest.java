// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What consumers of a vertex read while it is rescaled: the results of each key and source in the
 * order in which they were made, all of them, each once; whatever the partitioner, and whether the
 * consumer is rescaled itself or not.
 *
 * <p>{@code -Drescale.seed=N} runs each test with that seed only.
 */
@Tag("full")
@Timeout(300)
class ConsumerOrderTest {

    private static final int RESCALES = 20;
    private static final String COUNT = "count";

    private static final OutputTag<Tuple5<Integer, Integer, Long, Long, Integer>> COPIES =
            new OutputTag<>("copies", Jobs.RESULT);

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;
    private JobID job;

    @AfterEach
    void close() throws Exception {
        if (cluster != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
            cluster.close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aSecondKeyedStageThatIsRescaledToo(long seed) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(300);
        results(env)
                .keyBy(r -> r.f0, Types.INT)
                .process(new KeyedOrder(ledger.name))
                .returns(Jobs.RESULT)
                .setParallelism(3)
                .name("check")
                .uid("check")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        run(env, new Configuration(), seed, COUNT, "check");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void oneSinkAndConsumersOfAllResults(long seed) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(300);
        SingleOutputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>> results =
                results(env);
        results.global()
                .addSink(new Order(ledger.name, "the only sink"))
                .setParallelism(1)
                .name("one");
        results.broadcast()
                .addSink(new Order(ledger.name, "a sink of all results"))
                .setParallelism(2)
                .name("all");
        results.partitionCustom((Integer key, int sinks) -> key % sinks, r -> r.f0)
                .addSink(new Jobs.Books(ledger.name))
                .setParallelism(2)
                .name("books");
        run(env, new Configuration(), seed, COUNT);
    }

    /** Forward and rescale, of results and of a side output, to vertices without and with keys. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void consumersBehindPointwiseExchanges(long seed) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(300);
        SingleOutputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>> results =
                results(env)
                        .process(new Copy())
                        .returns(Jobs.RESULT)
                        .setParallelism(3)
                        .name("copy");
        results.addSink(new Order(ledger.name, "a sink that is not chained"))
                .setParallelism(3)
                .disableChaining()
                .name("forward");
        results.rescale()
                .addSink(new Order(ledger.name, "one of fewer sinks"))
                .setParallelism(2)
                .name("rescale");
        results.getSideOutput(COPIES)
                .map(r -> r)
                .returns(Jobs.RESULT)
                .setParallelism(3)
                .disableChaining()
                .name("side")
                .addSink(new Order(ledger.name, "a sink of the side output"))
                .setParallelism(3)
                .name("side sink");
        DataStreamUtils.reinterpretAsKeyedStream(
                        results.map(r -> r)
                                .returns(Jobs.RESULT)
                                .setParallelism(3)
                                .disableChaining()
                                .name("next"),
                        r -> r.f0,
                        Types.INT)
                .process(new KeyedOrder(ledger.name))
                .returns(Jobs.RESULT)
                .setParallelism(3)
                .name("keyed")
                .uid("keyed")
                .addSink(new Jobs.Books(ledger.name))
                .setParallelism(3)
                .name("books");
        run(env, new Configuration(), seed, COUNT);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void slowConsumersAndCheckpointsThatAreAborted(long seed) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(100);
        // buffers are full, and barriers are a long time on their way
        ledger.consumerWorkNanos = 150_000;
        results(env)
                .keyBy(r -> r.f0, Types.INT)
                .process(new KeyedOrder(ledger.name))
                .returns(Jobs.RESULT)
                .setParallelism(2)
                .name("check")
                .uid("check")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.RUNNING_CHECKPOINT, RunningCheckpoint.ABORT);
        configuration.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, MemorySize.parse("4k"));
        run(env, configuration, seed, COUNT, "check");
    }

    private SingleOutputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>> results(
            StreamExecutionEnvironment env) {
        // few keys, and buffers that wait: what overtakes within 50 ms is seen
        env.setBufferTimeout(50);
        return Jobs.source(env, ledger, 100, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .setParallelism(3)
                .name(COUNT)
                .uid(COUNT);
    }

    private void run(
            StreamExecutionEnvironment env, Configuration configuration, long seed, String... names)
            throws Exception {
        long used = Long.getLong("rescale.seed", seed);
        Random random = new Random(used);
        cluster = Clusters.start(3, 6, configuration);
        job = cluster.submit(TestGraphs.of(env, "order"));
        ledger.awaitResults(1_000);
        for (int i = 0; i < RESCALES; i++) {
            RescaleRequest request =
                    RescaleRequest.of(
                                    RescaleRequest.Target.byName(
                                            names[random.nextInt(names.length)],
                                            1 + random.nextInt(5)))
                            .withBatchSize(1 + random.nextInt(64));
            RescaleDetails status = cluster.rescale(job, request).get(90, TimeUnit.SECONDS);
            assertThat(status.failure()).as("rescale %s, -Drescale.seed=%s", i, used).isNull();
            if (status.unitsMigrated() > 0) {
                // one of a donor and one of a receiver
                assertThat(status.orderEvents()).isGreaterThanOrEqualTo(2);
            }
            ledger.awaitResults(random.nextInt(1_000));
        }
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).as("-Drescale.seed=%s", used).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(ledger.late.get()).isZero();
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    private static long id(Tuple5<Integer, Integer, Long, Long, Integer> r) {
        return (long) r.f1 << 32 | r.f0;
    }

    private static void check(
            Ledger ledger,
            String consumer,
            Tuple5<Integer, Integer, Long, Long, Integer> r,
            Long last) {
        if (r.f2 != (last == null ? 0 : last + 1)) {
            ledger.violation(
                    consumer
                            + " gets number "
                            + r.f2
                            + " of key "
                            + r.f0
                            + " and source "
                            + r.f1
                            + " after "
                            + last);
        }
    }

    /** Gives each result to a side output as well. */
    private static final class Copy
            extends ProcessFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                Tuple5<Integer, Integer, Long, Long, Integer> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out) {
            out.collect(r);
            context.output(COPIES, r);
        }
    }

    /** A consumer with keyed state, that is rescaled itself. */
    private static final class KeyedOrder
            extends KeyedProcessFunction<
                    Integer,
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient MapState<Integer, Long> last;

        KeyedOrder(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            last =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("last", Types.INT, Types.LONG));
        }

        @Override
        public void processElement(
                Tuple5<Integer, Integer, Long, Long, Integer> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            Ledger ledger = Ledger.named(ledgerName);
            ledger.workAtConsumer();
            check(ledger, "the second stage", r, last.get(r.f1));
            last.put(r.f1, r.f2);
            out.collect(r);
        }
    }

    /** A consumer that is never rescaled. */
    private static final class Order
            extends RichSinkFunction<Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private final String consumer;
        private final Map<Long, Long> last = new HashMap<>();

        Order(String ledgerName, String consumer) {
            this.ledgerName = ledgerName;
            this.consumer = consumer;
        }

        @Override
        public void invoke(Tuple5<Integer, Integer, Long, Long, Integer> r, Context context) {
            check(Ledger.named(ledgerName), consumer, r, last.put(id(r), r.f2));
        }
    }
}
