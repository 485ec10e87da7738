// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.flink.runtime.TestSerializers;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A job that is started from a savepoint of an earlier version, whose classes were registered with
 * Kryo in another order: Flink reconfigures the serializers of its keys and of its state.
 */
@Tag("full")
@Timeout(400)
class ReconfiguredStateTest {

    private static final int KEYS = 100;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;
    private JobID job;

    @BeforeEach
    void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        cluster = Clusters.start(2, 4, configuration);
        ledger.rate = 200;
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    private void submit(String backend, int version, int rareKeys, String savepoint)
            throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(500);
        TestGraphs.setStateBackend(
                env,
                backend.equals("heap")
                        ? new MecesStateBackend()
                        : new RocksDBStateBackend(directory.toUri(), true));
        if (version == 1) {
            TestSerializers.register(env, Even.class, Odd.class);
        } else {
            TestSerializers.register(env, Added.class, Odd.class, Even.class);
        }
        Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)
                .keyBy(r -> new Key(r.f0), Types.GENERIC(Key.class))
                .process(new Counter(ledger.name, rareKeys))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        JobGraph graph = TestGraphs.of(env, "version " + version);
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        job = cluster.submit(graph);
        ledger.awaitResults(4 * KEYS);
    }

    /** Ends the job. */
    private String savepoint() throws Exception {
        settleExactly();
        String savepoint =
                Savepoints.take(cluster.flink(), job, directory.toUri().toString(), true)
                        .get(60, TimeUnit.SECONDS);
        cluster.flink().requestJobResult(job).get(60, TimeUnit.SECONDS);
        ledger.resume();
        return savepoint;
    }

    private RescaleDetails rescale(int parallelism) throws Exception {
        RescaleDetails end = cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
        ledger.awaitResults(2 * KEYS);
        return end;
    }

    private void rescaleExactly(int... parallelisms) throws Exception {
        for (int parallelism : parallelisms) {
            RescaleDetails end = rescale(parallelism);
            assertThat(end.failure()).isNull();
            assertThat(end.status()).isEqualTo(RescaleStatus.FINISHED);
        }
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"heap", "rocksdb"})
    void keysAndStateMoveAgainAndAgainAndAreRestored(String backend) throws Exception {
        submit(backend, 1, KEYS, null);
        rescaleExactly(3);
        String ofVersion1 = savepoint();
        submit(backend, 2, KEYS, ofVersion1);
        rescaleExactly(4, 3, 2, 5, 2, 3);
        String ofVersion2 = savepoint();
        submit(backend, 2, KEYS, ofVersion2);
        rescaleExactly(4, 2);
        settleExactly();
    }

    /** One subtask writes it in the format of version 2, the others have it as it was restored. */
    @Test
    void aStateThatNotAllSubtasksHaveAskedForIsAnObstacleBeforeAnythingIsTouched()
            throws Exception {
        submit("rocksdb", 1, KEYS, null);
        submit("rocksdb", 2, 1, savepoint());
        for (int parallelism : new int[] {4, 1, 4}) {
            RescaleDetails end = rescale(parallelism);
            assertThat(end.status()).isEqualTo(RescaleStatus.FAILED);
            assertThat(end.attempt()).isEqualTo(1);
            assertThat(end.failure())
                    .contains("operator 'count' cannot be rescaled")
                    .contains("state 'rare'")
                    .contains("ask for the state in open()");
        }
        settleExactly();
    }

    private void settleExactly() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    // ------------------------------------------------------------------------
    //  The job
    // ------------------------------------------------------------------------

    /** What a number has besides; registered with Kryo. */
    static class Mark {
        private final int number;

        Mark(int number) {
            this.number = number;
        }

        boolean isOf(long n) {
            return number == (int) n && getClass() == of(n).getClass();
        }

        static Mark of(long n) {
            return n % 2 == 0 ? new Even((int) n) : new Odd((int) n);
        }
    }

    static final class Even extends Mark {
        Even(int number) {
            super(number);
        }
    }

    static final class Odd extends Mark {
        Odd(int number) {
            super(number);
        }
    }

    static final class Added extends Mark {
        Added(int number) {
            super(number);
        }
    }

    /** No POJO: goes through Kryo. */
    static final class Key {
        private final int id;
        private final Object mark;

        Key(int id) {
            this.id = id;
            this.mark = Mark.of(id);
        }

        boolean isWhole() {
            return mark instanceof Mark && ((Mark) mark).isOf(id);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).id == id;
        }

        @Override
        public int hashCode() {
            return Objects.hash(id);
        }
    }

    /** As {@link Jobs.Counter}, with keys and values that go through Kryo. */
    private static final class Counter
            extends KeyedProcessFunction<
                    Key,
                    Tuple3<Integer, Integer, Long>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;

        private final String ledgerName;
        private final int rareKeys;
        private transient Ledger ledger;
        private transient MapState<Integer, Long> folded;
        private transient ValueState<Object> last;
        private transient ListState<Object> list;
        private transient ValueState<Object> rare;
        private transient int me;

        /**
         * @param rareKeys so many keys, from 0 on, ask for a state that the others do not ask for
         */
        Counter(String ledgerName, int rareKeys) {
            this.ledgerName = ledgerName;
            this.rareKeys = rareKeys;
        }

        @Override
        public void open(Configuration parameters) {
            ledger = Ledger.named(ledgerName);
            me = Subtasks.index(getRuntimeContext());
            folded =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
            last = getRuntimeContext().getState(descriptor("last"));
            list =
                    getRuntimeContext()
                            .getListState(
                                    new ListStateDescriptor<>("list", Types.GENERIC(Object.class)));
        }

        private static ValueStateDescriptor<Object> descriptor(String name) {
            return new ValueStateDescriptor<>(name, Types.GENERIC(Object.class));
        }

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            Long before = folded.get(r.f1);
            long state = Ledger.nextState(before == null ? 17 : before, r.f2);
            folded.put(r.f1, state);
            check(last);
            last.update(Mark.of(r.f2));
            for (Object element : list.get()) {
                check(element, "an element");
            }
            list.update(Arrays.asList(Mark.of(r.f2), Mark.of(r.f2 + 1)));
            if (r.f0 < rareKeys) {
                if (rare == null) {
                    rare = getRuntimeContext().getState(descriptor("rare"));
                }
                check(rare);
                rare.update(Mark.of(r.f2));
            }
            context.timerService().registerEventTimeTimer(context.timestamp() + KEYS);
            out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, me));
        }

        private void check(ValueState<Object> kept) throws Exception {
            if (kept.value() != null) {
                check(kept.value(), "a value");
            }
        }

        private void check(Object kept, String what) {
            if (!(kept instanceof Mark) || !((Mark) kept).isOf(((Mark) kept).number)) {
                ledger.violation(what + " has become " + kept);
            }
        }

        @Override
        public void onTimer(
                long timestamp,
                OnTimerContext context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out) {
            if (!context.getCurrentKey().isWhole()) {
                ledger.violation("a timer's key has become another one");
            }
        }
    }
}
