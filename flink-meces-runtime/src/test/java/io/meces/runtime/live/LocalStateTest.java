// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Local recovery, and state that cannot be moved. */
@Tag("full")
@Timeout(120)
class LocalStateTest {

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;

    @BeforeEach
    void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("state.backend.local-recovery", "true");
        cluster = Clusters.start(1, 6, configuration);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    private long completedCheckpoints(JobID job) throws Exception {
        return cluster.flink()
                .getExecutionGraph(job)
                .get()
                .getCheckpointStatsSnapshot()
                .getCounts()
                .getNumberOfCompletedCheckpoints();
    }

    private boolean hasRestarted(JobID job) throws Exception {
        for (AccessExecutionVertex v :
                cluster.flink().getExecutionGraph(job).get().getAllExecutionVertices()) {
            if (v.getTaskNameWithSubtaskIndex().startsWith("Source: source")) {
                return v.getCurrentExecutionAttempt().getAttemptNumber() == 1;
            }
        }
        return false;
    }

    @Test
    void aJobWithLocalRecoveryIsRestoredByItsAssignment() throws Exception {
        StreamExecutionEnvironment env = Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 100);
        TestGraphs.setStateBackend(env, new MecesStateBackend(directory.toUri().toString()));
        JobID job = cluster.submit(TestGraphs.of(env, "local"));
        ledger.awaitResults(2_000);
        for (int parallelism : new int[] {4, 2, 3}) {
            assertThat(
                            cluster.rescale(job, "count", parallelism)
                                    .get(60, TimeUnit.SECONDS)
                                    .failure())
                    .isNull();
            ledger.awaitResults(1_000);
        }
        long before = completedCheckpoints(job);
        Ledger.awaitOrFail("a checkpoint", () -> completedCheckpoints(job) > before);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> hasRestarted(job));
        ledger.awaitResults(2_000);
        assertThat(cluster.rescale(job, "count", 2).get(60, TimeUnit.SECONDS).failure()).isNull();
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    private String refusal(StreamExecutionEnvironment env) throws Exception {
        JobID job = cluster.submit(TestGraphs.of(env, "refused"));
        Elasticity elasticity = cluster.elasticity(job).get();
        assertThat(elasticity.vertices()).isEmpty();
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
        return elasticity.refusal();
    }

    private KeyedStream<Integer, Integer> keyed(StreamExecutionEnvironment env) {
        return Jobs.source(env, ledger, 10, 1_000)
                .map(r -> r.f0)
                .returns(Types.INT)
                .keyBy(key -> key, Types.INT);
    }

    @Test
    void rawKeyedStateIsRefused() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(0);
        keyed(env)
                .transform("hand made", Types.INT, new HandMade())
                .addSink(new DiscardingSink<>());
        assertThat(refusal(env)).contains("'hand made'").contains("raw keyed state");
    }

    @Test
    void aQueryableStreamIsRefused() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(0);
        keyed(env).asQueryableState("latest");
        assertThat(refusal(env)).contains("'Queryable state: latest'").contains("wrong subtask");
    }

    /** Says that it writes raw keyed state. */
    private static final class HandMade extends AbstractStreamOperator<Integer>
            implements OneInputStreamOperator<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean isUsingCustomRawKeyedState() {
            return true;
        }

        @Override
        public void processElement(StreamRecord<Integer> record) {
            output.collect(record);
        }
    }
}
