// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FlinkException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a subtask that is activated is told about itself: sinks name their transactions by it. */
@Timeout(180)
class ActivationTest {

    /** No periodic checkpoint comes in a test. */
    private static final long NEVER = 3_600_000;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private final Starts books = Starts.of(ledger.name);
    private final Map<Integer, Start> starts = books.last;

    @Test
    void hasANameThatNoSubtaskHadBeforeUntilACheckpointKnowsItAndThenItsListState()
            throws Exception {
        try (MecesMiniCluster cluster = Clusters.start(2, 4, new Configuration())) {
            StreamExecutionEnvironment env = Jobs.environment(NEVER);
            env.getCheckpointConfig().setTolerableCheckpointFailureNumber(100);
            Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                    .keyBy(r -> r.f0, Types.INT)
                    .process(new Jobs.Counter(ledger.name))
                    .returns(Jobs.RESULT)
                    .name("count")
                    .uid("count")
                    .map(new Witness(ledger.name))
                    .returns(Jobs.RESULT)
                    .name("witness")
                    .uid("witness")
                    .rebalance()
                    .addSink(new Jobs.Books(ledger.name))
                    .name("books");
            JobGraph graph = TestGraphs.of(env, "activation");
            String vertex = null;
            for (JobVertex v : graph.getVertices()) {
                vertex = v.getName().startsWith("count") ? v.getName() : vertex;
            }
            JobID job = cluster.submit(graph);
            ledger.awaitResults(1_000);
            assertThat(starts.get(0).name).isEqualTo(vertex).isEqualTo(starts.get(1).name);
            savepoint(cluster, job);

            // also none that is asked for because a rescale has ended
            books.noCheckpoint = true;
            rescale(cluster, job, vertex, 3);
            Start first = starts.get(2);
            assertThat(first.name).endsWith(" " + vertex).isNotEqualTo(" " + vertex);
            assertThat(first.elements).isEmpty();

            // a failure before any checkpoint has it
            starts.clear();
            ledger.failOnce = true;
            Ledger.awaitOrFail("the restart", () -> starts.size() == 3);
            Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(cluster, job, 1));
            assertThat(starts.get(2)).isEqualTo(first);
            for (int i = 0; i < 2; i++) {
                assertThat(starts.get(i).name).isEqualTo(vertex);
                assertThat(starts.get(i).elements).containsExactly(i + " of " + vertex);
            }

            // and one after a checkpoint has it
            books.noCheckpoint = false;
            savepoint(cluster, job);
            starts.clear();
            ledger.failed.set(false);
            ledger.failOnce = true;
            Ledger.awaitOrFail("the restart", () -> starts.size() == 3);
            Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(cluster, job, 2));
            assertThat(starts.get(2).name).isEqualTo(vertex);
            assertThat(starts.get(2).elements).containsExactly("2 of " + first.name);

            rescale(cluster, job, vertex, 2);
            rescale(cluster, job, vertex, 3);
            Start second = starts.get(2);
            assertThat(second.name).endsWith(" " + vertex).isNotEqualTo(first.name);
            assertThat(second.elements).isEmpty();

            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private void savepoint(MecesMiniCluster cluster, JobID job) throws Exception {
        Savepoints.take(cluster.flink(), job, directory.toUri().toString(), false)
                .get(60, TimeUnit.SECONDS);
    }

    private void rescale(MecesMiniCluster cluster, JobID job, String vertex, int to)
            throws Exception {
        RescaleDetails status = cluster.rescale(job, vertex, to).get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        ledger.awaitResults(500);
    }

    private static final class Starts {
        private static final ConcurrentMap<String, Starts> ALL = new ConcurrentHashMap<>();

        /** What subtasks found when they began last, by index. */
        final Map<Integer, Start> last = new ConcurrentHashMap<>();

        /** Checkpoints fail. */
        volatile boolean noCheckpoint;

        static Starts of(String name) {
            return ALL.computeIfAbsent(name, n -> new Starts());
        }
    }

    private static final class Start {
        private final String name;
        private final List<String> elements;

        Start(String name, List<String> elements) {
            this.name = name;
            this.elements = elements;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Start && toString().equals(other.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            return name + " with " + elements;
        }
    }

    /** Has in its list state what the first subtask that it comes from was called. */
    private static final class Witness
            extends RichMapFunction<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;
        private final String ledger;
        private transient ListState<String> state;

        Witness(String ledger) {
            this.ledger = ledger;
        }

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(
                Tuple5<Integer, Integer, Long, Long, Integer> record) {
            return record;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            state =
                    context.getOperatorStateStore()
                            .getListState(new ListStateDescriptor<>("name", Types.STRING));
            List<String> elements = new ArrayList<>();
            state.get().forEach(elements::add);
            int me = getRuntimeContext().getIndexOfThisSubtask();
            String name = getRuntimeContext().getTaskName();
            Starts.of(ledger).last.put(me, new Start(name, elements));
            if (elements.isEmpty()) {
                state.add(me + " of " + name);
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws FlinkException {
            // its state is as it was initialised
            if (Starts.of(ledger).noCheckpoint) {
                throw new FlinkException("no checkpoint is wanted now");
            }
        }
    }
}
