// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A keyed vertex whose operator has a coordinator that waits for all its subtasks. */
@Tag("full")
@Timeout(180)
class CoordinatedVertexTest {

    /** By ledger: how many subtasks there are, as soon as all have reported. */
    private static final Map<String, CompletableFuture<Integer>> COMPLETE =
            new ConcurrentHashMap<>();

    private final Ledger ledger = new Ledger();

    @Test
    void isNotRescaledButItsNeighbourIs() throws Exception {
        CompletableFuture<Integer> complete = new CompletableFuture<>();
        COMPLETE.put(ledger.name, complete);
        StreamExecutionEnvironment env = Jobs.environment(300);
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .keyBy(r -> r.f0, Types.INT)
                .transform("coordinated", Jobs.RESULT, new Factory(ledger.name))
                .uid("coordinated")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        try (MecesMiniCluster cluster = Clusters.start(2, 2, new Configuration())) {
            JobID job = cluster.submit(TestGraphs.of(env, "coordinated"));

            assertThat(complete.get(60, TimeUnit.SECONDS)).isEqualTo(2);

            Elasticity elasticity = cluster.elasticity(job).get(30, TimeUnit.SECONDS);
            assertThat(elasticity.refusal()).isNull();
            assertThat(elasticity.vertices())
                    .singleElement()
                    .satisfies(vertex -> assertThat(vertex.name()).isEqualTo("count"));
            assertThat(elasticity.warnings())
                    .singleElement()
                    .asString()
                    .startsWith("Vertex 'coordinated' cannot be rescaled: its operator");
            ledger.awaitResults(2_000);
            for (int parallelism : new int[] {3, 1, 2}) {
                assertThat(
                                cluster.rescale(job, "count", parallelism)
                                        .get(60, TimeUnit.SECONDS)
                                        .failure())
                        .isNull();
                ledger.awaitResults(2_000);
            }
            assertThat(Clusters.restarts(cluster, job)).isZero();
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        }
    }

    private static final class Report implements OperatorEvent {
        private static final long serialVersionUID = 1L;
    }

    /** Gives records on, and reports to its coordinator at the first one. */
    private static final class Reporting
            extends AbstractStreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>>
            implements OneInputStreamOperator<
                    Tuple5<Integer, Integer, Long, Long, Integer>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final transient OperatorEventGateway coordinator;
        private transient boolean reported;

        Reporting(
                StreamOperatorParameters<Tuple5<Integer, Integer, Long, Long, Integer>>
                        parameters) {
            setup(
                    parameters.getContainingTask(),
                    parameters.getStreamConfig(),
                    parameters.getOutput());
            processingTimeService = parameters.getProcessingTimeService();
            coordinator =
                    parameters
                            .getOperatorEventDispatcher()
                            .getOperatorEventGateway(getOperatorID());
        }

        @Override
        public void processElement(
                StreamRecord<Tuple5<Integer, Integer, Long, Long, Integer>> element) {
            if (!reported) {
                // not before: the JobManager must know that the task runs
                reported = true;
                coordinator.sendEventToCoordinator(new Report());
            }
            output.collect(element);
        }
    }

    private static final class Factory
            extends AbstractStreamOperatorFactory<Tuple5<Integer, Integer, Long, Long, Integer>>
            implements CoordinatedOperatorFactory<Tuple5<Integer, Integer, Long, Long, Integer>>,
                    OneInputStreamOperatorFactory<
                            Tuple5<Integer, Integer, Long, Long, Integer>,
                            Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;

        Factory(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T extends StreamOperator<Tuple5<Integer, Integer, Long, Long, Integer>>>
                T createStreamOperator(
                        StreamOperatorParameters<Tuple5<Integer, Integer, Long, Long, Integer>>
                                parameters) {
            return (T) new Reporting(parameters);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return Reporting.class;
        }

        @Override
        public OperatorCoordinator.Provider getCoordinatorProvider(
                String operatorName, OperatorID operatorId) {
            return new Provider(ledgerName, operatorId);
        }
    }

    private static final class Provider implements OperatorCoordinator.Provider {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private final OperatorID operatorId;

        Provider(String ledgerName, OperatorID operatorId) {
            this.ledgerName = ledgerName;
            this.operatorId = operatorId;
        }

        @Override
        public OperatorID getOperatorId() {
            return operatorId;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            return new WaitingForAll(context.currentParallelism(), COMPLETE.get(ledgerName));
        }
    }

    private static final class WaitingForAll implements OperatorCoordinator {
        private final int subtasks;
        private final CompletableFuture<Integer> complete;
        private final Set<Integer> reported = new HashSet<>();

        WaitingForAll(int subtasks, CompletableFuture<Integer> complete) {
            this.subtasks = subtasks;
            this.complete = complete;
        }

        @Override
        public void handleEventFromOperator(int subtask, OperatorEvent event) {
            reported.add(subtask);
            if (reported.size() == subtasks) {
                complete.complete(subtasks);
            }
        }

        @Override
        public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> result) {
            result.complete(new byte[0]);
        }

        @Override
        public void start() {}

        @Override
        public void close() {}

        @Override
        public void notifyCheckpointComplete(long checkpointId) {}

        @Override
        public void resetToCheckpoint(long checkpointId, @Nullable byte[] checkpointData) {}

        @Override
        public void subtaskFailed(int subtask, @Nullable Throwable reason) {}

        @Override
        public void subtaskReset(int subtask, long checkpointId) {}

        @Override
        public void subtaskReady(int subtask, SubtaskGateway gateway) {}
    }
}
