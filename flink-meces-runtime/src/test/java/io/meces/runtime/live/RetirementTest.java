// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.checkpoint.CarriedListState;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.VoidSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What subtasks that leave have besides keyed state: list state, calls in flight, transactions. */
@Timeout(180)
class RetirementTest {

    private static MecesMiniCluster cluster;

    @TempDir static Path directory;

    private final Ledger ledger = new Ledger();
    private JobID job;
    private String vertex;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        // some sinks here are known to nobody, and order is not what is tested
        configuration.set(MecesOptions.UNKNOWN_SINKS, MecesOptions.UnknownSinks.ACCEPT);
        cluster = Clusters.start(2, 6, configuration);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void cancel() throws Exception {
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private void rescale(int... parallelisms) throws Exception {
        for (int parallelism : parallelisms) {
            RescaleDetails status =
                    cluster.rescale(job, vertex, parallelism).get(60, TimeUnit.SECONDS);
            assertThat(status.failure()).isNull();
            ledger.awaitResults(500);
        }
    }

    private SingleOutputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>> counted(
            StreamExecutionEnvironment env) {
        return counted(env, Long.MAX_VALUE);
    }

    private SingleOutputStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>> counted(
            StreamExecutionEnvironment env, long recordsPerSource) {
        return Jobs.source(env, ledger, 1_000, recordsPerSource)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count");
    }

    private void toBooks(DataStream<Tuple5<Integer, Integer, Long, Long, Integer>> results) {
        results.rebalance().addSink(new Jobs.Books(ledger.name)).name("books").uid("books");
    }

    private void submit(StreamExecutionEnvironment env, String savepoint) throws Exception {
        JobGraph graph = TestGraphs.of(env, "retirement");
        for (JobVertex v : graph.getVertices()) {
            if (v.getName().startsWith("count")) {
                vertex = v.getName();
            }
        }
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        job = cluster.submit(graph);
        ledger.awaitResults(1_000);
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    // ------------------------------------------------------------------------
    //  List state
    // ------------------------------------------------------------------------

    private void submitHoarders(boolean union, String savepoint) throws Exception {
        submitHoarders(Jobs.environment(300), new Hoarder(ledger.name, union, 0), savepoint);
    }

    private void submitHoarders(StreamExecutionEnvironment env, Hoarder hoarder, String savepoint)
            throws Exception {
        toBooks(counted(env).map(hoarder).returns(Jobs.RESULT).name("hoard").uid("hoard"));
        submit(env, savepoint);
        assertThat(vertex).contains("hoard");
    }

    private String savepoint(boolean stop) throws Exception {
        Clusters.awaitRunning(cluster, job);
        return Savepoints.take(cluster.flink(), job, directory.toUri().toString(), stop)
                .get(60, TimeUnit.SECONDS);
    }

    private static List<String> elements(String savepoint, boolean union) throws Exception {
        List<String> elements =
                new ArrayList<>(
                        Savepoints.readList(savepoint, "hoard", "elements", union, Types.STRING));
        Collections.sort(elements);
        return elements;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listStateOfSubtasksThatHaveLeftIsInSavepointsAndRedistributedByARestart(boolean union)
            throws Exception {
        Hoard hoard = Hoard.of(ledger.name);
        submitHoarders(union, null);
        rescale(4, 2, 5, 1, 3);
        // 2 at first, 2 more at 4, 3 more at 5, 2 more at 3
        assertThat(hoard.made).hasSize(2 * 9);
        assertThat(elements(savepoint(false), union)).isEqualTo(hoard.sorted());

        hoard.restored.clear();
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, job) == 1);
        Ledger.awaitOrFail("all restored", () -> hoard.restored.size() == 3);
        hoard.assertRedistributed(3, union);
        ledger.awaitResults(1_000);
        assertThat(elements(savepoint(false), union)).isEqualTo(hoard.sorted());
        rescale(2);
        String savepoint = savepoint(true);
        cluster.flink().requestJobResult(job).get(30, TimeUnit.SECONDS);
        assertThat(elements(savepoint, union)).isEqualTo(hoard.sorted());

        hoard.restored.clear();
        submitHoarders(union, savepoint);
        Ledger.awaitOrFail("all restored", () -> hoard.restored.size() == 2);
        hoard.assertRedistributed(2, union);
        // each record of a running source between savepoint and cancellation comes out twice
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(elements(savepoint(false), union)).isEqualTo(hoard.sorted());
    }

    @Test
    void listStateThatIsTooLargeIsHandedOverByARestart() throws Exception {
        Hoard hoard = Hoard.of(ledger.name);
        StreamExecutionEnvironment env = Jobs.environment(300);
        TestGraphs.setStateBackend(env, new MecesStateBackend(directory.toUri().toString()));
        int half = (int) CarriedListState.LIMIT / 2 + 1;
        submitHoarders(env, new Hoarder(ledger.name, false, half), null);
        rescale(3);
        RescaleDetails status = cluster.rescale(job, vertex, 2).get(60, TimeUnit.SECONDS);
        // it had reached its goal; the restart did the rest
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.attempt()).isEqualTo(2);
        Ledger.awaitOrFail("all restored", () -> hoard.restored.size() == 2);
        hoard.assertRedistributed(2, false);
        assertThat(cluster.elasticity(job).get().vertices().get(0).parallelism()).isEqualTo(2);
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void listStateThatIsTooLargeStaysWhereItIsIfTheJobCannotRestart() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(300);
        TestGraphs.neverRestart(env);
        TestGraphs.setStateBackend(env, new MecesStateBackend(directory.toUri().toString()));
        int half = (int) CarriedListState.LIMIT / 2 + 1;
        submitHoarders(env, new Hoarder(ledger.name, false, half), null);
        rescale(3);
        RescaleDetails status = cluster.rescale(job, vertex, 2).get(60, TimeUnit.SECONDS);
        assertThat(status.status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(status.failure())
                .startsWith("all key-groups have moved, but 1 subtask(s) of " + vertex)
                .contains("stay without any: their list state cannot be handed over: ");
        assertThat(cluster.status(job).get()).isEqualTo(JobStatus.RUNNING);
        Clusters.awaitCheckpointOfNow(cluster, job);
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    /** Elements that were ever made, and those that each subtask was given at its last restore. */
    private static final class Hoard {
        private static final ConcurrentMap<String, Hoard> ALL = new ConcurrentHashMap<>();
        final Set<String> made = ConcurrentHashMap.newKeySet();
        final Map<Integer, List<String>> restored = new ConcurrentHashMap<>();

        static Hoard of(String name) {
            return ALL.computeIfAbsent(name, n -> new Hoard());
        }

        List<String> sorted() {
            List<String> sorted = new ArrayList<>(made);
            Collections.sort(sorted);
            return sorted;
        }

        void assertRedistributed(int subtasks, boolean union) {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < subtasks; i++) {
                List<String> elements = new ArrayList<>(restored.get(i));
                if (union) {
                    Collections.sort(elements);
                    assertThat(elements).isEqualTo(sorted());
                } else {
                    assertThat(elements).as("subtask %s", i).isNotEmpty();
                    all.addAll(elements);
                }
            }
            if (!union) {
                assertThat(all).containsExactlyInAnyOrderElementsOf(made);
            }
        }
    }

    /** Makes two elements when it begins without any, and keeps what it has. */
    private static final class Hoarder
            extends RichMapFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;
        private final String name;
        private final boolean union;
        private final int padding;
        private transient List<String> elements;
        private transient ListState<String> state;

        /** As bytes: Flink reads a string byte by byte from the file. */
        private transient ListState<byte[]> paddings;

        /**
         * Makes one.
         *
         * @param padding bytes of state besides each element
         */
        Hoarder(String name, boolean union, int padding) {
            this.name = name;
            this.union = union;
            this.padding = padding;
        }

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(
                Tuple5<Integer, Integer, Long, Long, Integer> record) {
            return record;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            ListStateDescriptor<String> descriptor =
                    new ListStateDescriptor<>("elements", Types.STRING);
            state =
                    union
                            ? context.getOperatorStateStore().getUnionListState(descriptor)
                            : context.getOperatorStateStore().getListState(descriptor);
            if (padding > 0) {
                paddings =
                        context.getOperatorStateStore()
                                .getListState(
                                        new ListStateDescriptor<>(
                                                "paddings", BytePrimitiveArraySerializer.INSTANCE));
            }
            Hoard hoard = Hoard.of(name);
            int me = Subtasks.index(getRuntimeContext());
            elements = new ArrayList<>();
            if (context.isRestored()) {
                state.get().forEach(elements::add);
                hoard.restored.put(me, new ArrayList<>(elements));
                if (union) {
                    // all have all: one keeps them
                    elements.removeIf(e -> me != 0);
                }
            } else {
                for (int i = 0; i < 2; i++) {
                    String element = String.format("%d-%02d", me, hoard.made.size());
                    hoard.made.add(element);
                    elements.add(element);
                }
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            state.update(elements);
            if (padding > 0) {
                paddings.update(Collections.nCopies(elements.size(), new byte[padding]));
            }
        }
    }

    // ------------------------------------------------------------------------
    //  The end of the job
    // ------------------------------------------------------------------------

    @Test
    void aBoundedJobThatEndsBeforeASubtaskHasLeftFinishes() throws Exception {
        Goodbye goodbye = Goodbye.of(ledger.name);
        StreamExecutionEnvironment env = Jobs.environment(300);
        // it must not end before the second rescale
        ledger.rate = 500;
        toBooks(
                counted(env, 10_000)
                        .map(new Lingerer(ledger.name))
                        .returns(Jobs.RESULT)
                        .name("linger")
                        .uid("linger"));
        submit(env, null);
        rescale(3);
        ledger.paused = true;
        CompletableFuture<RescaleDetails> back = cluster.rescale(job, vertex, 2);
        try {
            assertThat(goodbye.begun.await(60, TimeUnit.SECONDS)).isTrue();
            ledger.rate = 20_000;
            ledger.paused = false;
            Ledger.awaitOrFail(
                    "all others have finished",
                    () ->
                            Clusters.isLater()
                                    ? ledger.verdict().distinct == 20_000
                                    : isLastLeaving());
        } finally {
            goodbye.mayEnd.countDown();
        }
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get() == JobStatus.FINISHED);
        job = null;
        back.cancel(true);
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(20_000);
    }

    /** Whether one subtask is being cancelled and all others that were deployed have finished. */
    private boolean isLastLeaving() throws Exception {
        int leaving = 0;
        for (AccessExecutionVertex subtask :
                cluster.flink().getExecutionGraph(job).get().getAllExecutionVertices()) {
            ExecutionState state = subtask.getExecutionState();
            if (state == ExecutionState.CANCELING) {
                leaving++;
            } else if (state != ExecutionState.FINISHED && state != ExecutionState.CREATED) {
                return false;
            }
        }
        return leaving == 1;
    }

    @Test
    void aSubtaskWhoseOperatorActsAtTheEndOfItsInputDoesNotLeave() throws Exception {
        ledger.rate = 500;
        StreamExecutionEnvironment env = Jobs.environment(300);
        Totals totals = Totals.of(ledger.name);
        toBooks(counted(env, 5_000).transform("total", Jobs.RESULT, new TotalFactory(ledger.name)));
        submit(env, null);
        rescale(3);
        String why =
                "its operator 'total' ("
                        + Total.class.getName()
                        + ") acts at the end of its input (BoundedOneInput, BoundedMultiInput),"
                        + " which would come too early in a subtask that leaves.";
        assertThat(cluster.elasticity(job).get().warnings())
                .containsExactly(
                        "Vertex '" + vertex + "' can have more subtasks, but not fewer: " + why);
        assertThatThrownBy(() -> rescale(2))
                .hasCauseInstanceOf(RescaleRefusedException.class)
                .hasMessageContaining("Parallelism 2 is not possible for vertex ")
                .hasMessageContaining(
                        ", which cannot have fewer subtasks: "
                                + why
                                + " Put rebalance() before that operator, or give the sink that it"
                                + " belongs to another parallelism (such as writeParallelism() of"
                                + " Iceberg's). One of your own can flush in"
                                + " prepareSnapshotPreBarrier() instead.");
        assertThat(totals.of).isEmpty();
        rescale(4);
        ledger.rate = 20_000;
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get().isGloballyTerminalState());
        assertThat(totals.of.values().stream().mapToLong(n -> n).sum()).isEqualTo(10_000);
        assertThat(totals.of).hasSize(4);
        job = null;
    }

    private static final class Totals {
        private static final ConcurrentMap<String, Totals> ALL = new ConcurrentHashMap<>();

        /** By subtask; of those whose input has ended. */
        final Map<Integer, Long> of = new ConcurrentHashMap<>();

        static Totals of(String name) {
            return ALL.computeIfAbsent(name, n -> new Totals());
        }
    }

    /** Makes operators that are chained. */
    private static final class TotalFactory
            extends AbstractStreamOperatorFactory<Tuple5<Integer, Integer, Long, Long, Integer>>
            implements OneInputStreamOperatorFactory<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String name;

        TotalFactory(String name) {
            this.name = name;
        }

        @SuppressWarnings("unchecked")
        @Override
        public <T extends StreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>>>
                T createStreamOperator(
                        StreamOperatorParameters<Tuple5<Integer, Integer, Long, Long, Integer>>
                                task) {
            return (T) new Total(name).in(task);
        }

        @SuppressWarnings("rawtypes")
        @Override
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
            return Total.class;
        }
    }

    /** Tells at the end how many records there were. */
    private static final class Total
            extends AbstractStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>>
            implements OneInputStreamOperator<
                            Tuple5<Integer, Integer, Long, Long, Integer>,
                            Tuple5<Integer, Integer, Long, Long, Integer>>,
                    BoundedOneInput {
        private static final long serialVersionUID = 1L;
        private final String name;
        private long total;

        Total(String name) {
            this.name = name;
        }

        Total in(StreamOperatorParameters<Tuple5<Integer, Integer, Long, Long, Integer>> task) {
            setup(task.getContainingTask(), task.getStreamConfig(), task.getOutput());
            return this;
        }

        @Override
        public void processElement(
                StreamRecord<Tuple5<Integer, Integer, Long, Long, Integer>> record) {
            total++;
            output.collect(record);
        }

        @Override
        public void endInput() {
            Totals.of(name).of.put(Subtasks.index(getRuntimeContext()), total);
        }
    }

    private static final class Goodbye {
        private static final ConcurrentMap<String, Goodbye> ALL = new ConcurrentHashMap<>();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        static Goodbye of(String name) {
            return ALL.computeIfAbsent(name, n -> new Goodbye());
        }
    }

    /** The third subtask does not close before it may. */
    private static final class Lingerer
            extends RichMapFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String name;

        Lingerer(String name) {
            this.name = name;
        }

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(
                Tuple5<Integer, Integer, Long, Long, Integer> record) {
            return record;
        }

        @Override
        public void close() {
            if (Subtasks.index(getRuntimeContext()) < 2) {
                return;
            }
            Goodbye goodbye = Goodbye.of(name);
            goodbye.begun.countDown();
            boolean ended = false;
            while (!ended) {
                try {
                    goodbye.mayEnd.await();
                    ended = true;
                } catch (InterruptedException e) {
                    // a task that is cancelled is interrupted again and again
                }
            }
        }
    }

    // ------------------------------------------------------------------------
    //  Calls in flight
    // ------------------------------------------------------------------------

    @Test
    void callsInFlightAreAwaited() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(300);
        ledger.rate = 2_000;
        toBooks(
                AsyncDataStream.unorderedWait(
                                counted(env), new SlowCall(), 30, TimeUnit.SECONDS, 1_000)
                        .name("call")
                        .uid("call"));
        submit(env, null);
        assertThat(vertex).contains("call");
        rescale(4, 1, 3, 2);
        assertExact();
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    /** Answers after 150 ms. */
    private static final class SlowCall
            extends RichAsyncFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ScheduledExecutorService timer;

        @Override
        public void asyncInvoke(
                Tuple5<Integer, Integer, Long, Long, Integer> record,
                ResultFuture<Tuple5<Integer, Integer, Long, Long, Integer>> result) {
            if (timer == null) {
                timer = Executors.newSingleThreadScheduledExecutor();
            }
            timer.schedule(
                    () -> result.complete(Collections.singleton(record)),
                    150,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            if (timer != null) {
                timer.shutdownNow();
            }
        }
    }

    // ------------------------------------------------------------------------
    //  Transactions
    // ------------------------------------------------------------------------

    @Test
    void transactionsAreCommittedOnceAndNoneIsLeft() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(100);
        counted(env).addSink(new Committing(ledger.name)).name("commit").uid("commit");
        Bank bank = Bank.of(ledger.name);
        submit(env, null);
        assertThat(vertex).contains("commit");
        for (int parallelism : new int[] {4, 2, 3, 1, 2}) {
            rescale(parallelism);
        }
        Set<String> old = new HashSet<>(bank.committed);
        Clusters.awaitCheckpointOfNow(cluster, job);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, job) == 1);
        ledger.awaitResults(1_000);
        // not once more, however long ago: an external system may have forgotten them
        assertThat(bank.repeated).doesNotContainAnyElementsOf(old);
        rescale(3, 1);
        assertExact();
        Ledger.awaitOrFail("the last commits", () -> bank.pending().size() <= 1);
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
        job = null;
        // what is not committed then is what a checkpoint has begun just before the end
        assertThat(bank.pending()).allSatisfy(id -> assertThat(bank.records(id)).isEmpty());
        assertThat(bank.open).isEmpty();
    }

    /** The transactions of a test, as an external system would know them. */
    private static final class Bank {
        private static final ConcurrentMap<String, Bank> ALL = new ConcurrentHashMap<>();
        final Map<String, List<Tuple5<Integer, Integer, Long, Long, Integer>>> all =
                new ConcurrentHashMap<>();
        final Set<String> open = ConcurrentHashMap.newKeySet();
        final Set<String> prepared = ConcurrentHashMap.newKeySet();
        final Set<String> committed = ConcurrentHashMap.newKeySet();
        final Set<String> repeated = ConcurrentHashMap.newKeySet();
        final AtomicInteger ids = new AtomicInteger();

        static Bank of(String name) {
            return ALL.computeIfAbsent(name, n -> new Bank());
        }

        Collection<Tuple5<Integer, Integer, Long, Long, Integer>> records(String id) {
            return all.get(id);
        }

        Set<String> pending() {
            return prepared;
        }
    }

    /** Puts records into the books when they are committed. */
    private static final class Committing
            extends TwoPhaseCommitSinkFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>, String, Void> {
        private static final long serialVersionUID = 1L;
        private final String name;

        Committing(String name) {
            super(StringSerializer.INSTANCE, VoidSerializer.INSTANCE);
            this.name = name;
        }

        @Override
        protected void invoke(
                String id, Tuple5<Integer, Integer, Long, Long, Integer> record, Context context) {
            Bank.of(name).records(id).add(record);
        }

        @Override
        protected String beginTransaction() {
            Bank bank = Bank.of(name);
            String id = "t" + bank.ids.incrementAndGet();
            bank.all.put(id, Collections.synchronizedList(new ArrayList<>()));
            bank.open.add(id);
            return id;
        }

        @Override
        protected void preCommit(String id) {
            Bank bank = Bank.of(name);
            bank.open.remove(id);
            bank.prepared.add(id);
        }

        @Override
        protected void commit(String id) {
            Bank bank = Bank.of(name);
            bank.open.remove(id);
            bank.prepared.remove(id);
            // a commit is repeated when it is recovered
            if (bank.committed.add(id)) {
                Ledger ledger = Ledger.named(name);
                for (Tuple5<Integer, Integer, Long, Long, Integer> r : bank.records(id)) {
                    ledger.result(r.f1, r.f0, r.f2, r.f3, r.f4);
                }
            } else {
                bank.repeated.add(id);
            }
        }

        @Override
        protected void abort(String id) {
            Bank bank = Bank.of(name);
            bank.open.remove(id);
            bank.prepared.remove(id);
            if (bank.committed.contains(id)) {
                Ledger.named(name).violation("aborted after it was committed: " + id);
            }
        }
    }
}
