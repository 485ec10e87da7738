// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.testing.MecesMiniCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.jdbc.JdbcConnectionOptions;
import org.apache.flink.connector.jdbc.JdbcExecutionOptions;
import org.apache.flink.connector.jdbc.JdbcSink;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What sinks in the chain of an elastic vertex write outside, by their real connectors. */
@Tag("full")
@Timeout(300)
class ChainedSinksTest {
    private static final int RESCALES = 24;
    private static final int LIMIT_SECONDS = 90;

    private static MecesMiniCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = cluster();
    }

    static MecesMiniCluster cluster() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        return MecesMiniCluster.builder()
                .taskManagers(2)
                .slotsPerTaskManager(2)
                .configuration(configuration)
                .start();
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    /** Without a drain some keys keep an old value for good. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aTableHasTheLastValueOfEachKey(long seed) throws Exception {
        Rises.INVERSIONS.clear();
        CountRun run = new CountRun();
        String url = "jdbc:h2:mem:" + run.name + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counts (k INT PRIMARY KEY, n BIGINT)");
            statement.execute(
                    "CREATE TRIGGER rises BEFORE UPDATE ON counts FOR EACH ROW CALL \""
                            + Rises.class.getName()
                            + "\"");
            StreamExecutionEnvironment env = CountRun.environment(1_000);
            run.counts(env)
                    .addSink(
                            JdbcSink.sink(
                                    "MERGE INTO counts KEY (k) VALUES (?, ?)",
                                    (row, count) -> {
                                        row.setInt(1, count.f0);
                                        row.setLong(2, count.f1);
                                    },
                                    JdbcExecutionOptions.builder()
                                            .withBatchIntervalMs(300)
                                            .withBatchSize(100_000)
                                            .build(),
                                    new JdbcConnectionOptions.JdbcConnectionOptionsBuilder()
                                            .withUrl(url)
                                            .withDriverName("org.h2.Driver")
                                            .build()))
                    .name("table")
                    .uid("table");
            JobID job = cluster.submit(env.getStreamGraph(run.name).getJobGraph());
            run.rescale(cluster, job, seed, RESCALES);
            run.stop();
            // by cancelling, all batches are executed
            cluster.cancel(job).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(wrongValues(statement, run)).isEmpty();
            assertThat(Rises.INVERSIONS).isEmpty();
        }
    }

    /** Notes when a value is replaced by an older one. */
    public static final class Rises implements Trigger {
        private static final Queue<String> INVERSIONS = new ConcurrentLinkedQueue<>();

        @Override
        public void fire(Connection connection, Object[] before, Object[] after) {
            if ((long) after[1] <= (long) before[1]) {
                INVERSIONS.add("key " + after[0] + ": " + after[1] + " after " + before[1]);
            }
        }

        @Override
        public void init(
                Connection connection,
                String schema,
                String trigger,
                String table,
                boolean before,
                int type) {
            // nothing to be made ready
        }

        @Override
        public void close() {
            // nothing is open
        }

        @Override
        public void remove() {
            // nothing is kept
        }
    }

    private static List<String> wrongValues(Statement statement, CountRun run) throws SQLException {
        List<String> wrong = new ArrayList<>();
        int rows = 0;
        try (ResultSet row = statement.executeQuery("SELECT k, n FROM counts")) {
            while (row.next()) {
                rows++;
                if (row.getLong(2) != run.expected(row.getInt(1))) {
                    wrong.add(
                            "key "
                                    + row.getInt(1)
                                    + ": "
                                    + row.getLong(2)
                                    + " instead of "
                                    + run.expected(row.getInt(1)));
                }
            }
        }
        assertThat(rows).isEqualTo(CountRun.KEYS);
        return wrong;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void orderedCallsGiveTheResultsOfAKeyInOrder(long seed) throws Exception {
        CountRun run = new CountRun();
        StreamExecutionEnvironment env = CountRun.environment(1_000);
        DataStream<Tuple2<Integer, Long>> asked =
                AsyncDataStream.orderedWait(
                                run.counts(env), new Ask(), 60, TimeUnit.SECONDS, 10_000)
                        .name("ask")
                        .uid("ask");
        checkOrder(run, asked, env, seed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void bundlesGiveTheResultsOfAKeyInOrder(long seed) throws Exception {
        CountRun run = new CountRun();
        StreamExecutionEnvironment env = CountRun.environment(1_000);
        DataStream<Tuple2<Integer, Long>> bundled =
                run.counts(env)
                        .transform("bundle", Types.TUPLE(Types.INT, Types.LONG), new Bundle())
                        .uid("bundle");
        checkOrder(run, bundled, env, seed);
    }

    private static void checkOrder(
            CountRun run,
            DataStream<Tuple2<Integer, Long>> counts,
            StreamExecutionEnvironment env,
            long seed)
            throws Exception {
        counts.addSink(new Order(run.name)).name("order").uid("order");
        JobID job = cluster.submit(env.getStreamGraph(run.name).getJobGraph());
        run.rescale(cluster, job, seed, RESCALES);
        run.stop();
        Map<Integer, Long> last = Order.LAST.get(run.name);
        CountRun.await(
                "last result",
                () -> last.values().stream().mapToLong(n -> n).sum() == run.emitted());
        cluster.cancel(job).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(Order.INVERSIONS.get(run.name)).isEmpty();
    }

    /** Gives 5,000 records on together, or fewer before a barrier. */
    private static final class Bundle extends AbstractStreamOperator<Tuple2<Integer, Long>>
            implements OneInputStreamOperator<Tuple2<Integer, Long>, Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private transient List<StreamRecord<Tuple2<Integer, Long>>> records;

        private Bundle() {
            setChainingStrategy(ChainingStrategy.ALWAYS);
        }

        @Override
        public void open() {
            records = new ArrayList<>();
        }

        @Override
        public void processElement(StreamRecord<Tuple2<Integer, Long>> record) {
            records.add(new StreamRecord<>(record.getValue()));
            if (records.size() == 5_000) {
                emit();
            }
        }

        @Override
        public void prepareSnapshotPreBarrier(long checkpointId) {
            emit();
        }

        private void emit() {
            records.forEach(output::collect);
            records.clear();
        }
    }

    /** Answers within 200 ms. */
    private static final class Ask
            extends RichAsyncFunction<Tuple2<Integer, Long>, Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;

        private transient ScheduledExecutorService timer;

        @Override
        public void open(Configuration parameters) {
            timer = Executors.newSingleThreadScheduledExecutor();
        }

        @Override
        public void asyncInvoke(
                Tuple2<Integer, Long> count, ResultFuture<Tuple2<Integer, Long>> result) {
            timer.schedule(
                    () -> result.complete(Collections.singleton(count)),
                    ThreadLocalRandom.current().nextInt(200),
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            timer.shutdownNow();
        }
    }

    /** Writes at once, and checks that the counts of a key rise by one. */
    private static final class Order implements SinkFunction<Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;

        /** By run and key. */
        private static final Map<String, Map<Integer, Long>> LAST = new ConcurrentHashMap<>();

        private static final Map<String, Queue<String>> INVERSIONS = new ConcurrentHashMap<>();
        private final String run;

        private Order(String run) {
            this.run = run;
            LAST.put(run, new ConcurrentHashMap<>());
            INVERSIONS.put(run, new ConcurrentLinkedQueue<>());
        }

        @Override
        public void invoke(Tuple2<Integer, Long> count, Context context) {
            Long last = LAST.get(run).put(count.f0, count.f1);
            if (count.f1 != (last == null ? 1 : last + 1)) {
                INVERSIONS.get(run).add("key " + count.f0 + ": " + count.f1 + " after " + last);
            }
        }
    }
}
