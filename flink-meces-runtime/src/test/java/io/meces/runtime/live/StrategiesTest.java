// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.core.plan.Assignment;
import io.meces.core.plan.RepartitionStrategy;
import io.meces.core.plan.VertexLoad;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rescales of a running job by each strategy, by one of the user's, and at equal parallelism. */
@Tag("full")
@Timeout(180)
class StrategiesTest {

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private JobID job;

    /** A strategy of a user: key-groups in turn. */
    public static final class InTurn implements RepartitionStrategy {
        @Override
        public Assignment target(Assignment current, int parallelism, VertexLoad load) {
            int[] owners = new int[current.keyGroups()];
            for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
                owners[keyGroup] = keyGroup % parallelism;
            }
            return Assignment.of(owners);
        }
    }

    /** Gives what cannot be. */
    public static final class Greedy implements RepartitionStrategy {
        @Override
        public Assignment target(Assignment current, int parallelism, VertexLoad load) {
            return Assignment.of(new int[current.keyGroups()]);
        }
    }

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.STRATEGY, InTurn.class.getName());
        cluster = Clusters.start(2, 4, configuration);
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

    private void submit(int keys) throws Exception {
        job =
                cluster.submit(
                        TestGraphs.of(
                                Jobs.counting(ledger, keys, Long.MAX_VALUE, 300), "counting"));
        ledger.awaitResults(2_000);
        awaitRunning(0);
    }

    private void awaitRunning(int restarts) throws Exception {
        Ledger.awaitOrFail("all tasks", () -> Clusters.knowsToRun(cluster, job, restarts));
    }

    private static RescaleRequest request(int parallelism, @Nullable String strategy) {
        return RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                .withStrategy(strategy);
    }

    private RescaleDetails rescale(int parallelism, @Nullable String strategy) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, request(parallelism, strategy)).get(90, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal());
        return status;
    }

    private RescalePlans.VertexPlan plan(int parallelism, String strategy) throws Exception {
        return cluster.plan(job, request(parallelism, strategy).asDryRun())
                .get(60, TimeUnit.SECONDS)
                .vertices()
                .get(0);
    }

    private Assignment assignment() throws Exception {
        List<List<Integer>> keyGroups = cluster.elasticity(job).get().vertices().get(0).keyGroups();
        int[] owners = new int[Jobs.MAX_PARALLELISM];
        for (int subtask = 0; subtask < keyGroups.size(); subtask++) {
            assertThat(keyGroups.get(subtask)).isNotEmpty();
            for (int keyGroup : keyGroups.get(subtask)) {
                owners[keyGroup] = subtask;
            }
        }
        return Assignment.of(owners);
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(ledger.late.get()).isZero();
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"minimal-move", "uniform", "consistent-hashing", "load-aware"})
    void scalesOutAndInWithoutAnyDifference(String strategy) throws Exception {
        submit(1_000);
        RescalePlans.VertexPlan out = plan(4, strategy);
        assertThat(out.strategy()).isEqualTo(strategy);
        rescale(4, strategy);
        ledger.awaitResults(1_000);
        assertThat(assignment().counts()).hasSize(4);
        if (!strategy.equals("load-aware")) {
            // what is measured changes while the job runs
            assertThat(assignment().counts()).isEqualTo(out.after());
        }
        rescale(1, strategy);
        ledger.awaitResults(1_000);
        rescale(3, strategy);
        ledger.awaitResults(2_000);
        assertThat(assignment().counts()).hasSize(3);
        assertThat(ledger.resultsBySubtask.get(3)).isPositive();
        assertExact();
    }

    @Test
    void aStrategyOfTheUserIsTakenUnlessARequestNamesAnother() throws Exception {
        submit(1_000);
        rescale(3, null);
        Assignment inTurn = new InTurn().target(assignment(), 3, VertexLoad.unknown());
        assertThat(assignment()).isEqualTo(inTurn);
        rescale(2, "uniform");
        assertThat(assignment()).isEqualTo(Assignment.contiguous(Jobs.MAX_PARALLELISM, 2));
        rescale(3, InTurn.class.getName());
        assertThat(assignment()).isEqualTo(inTurn);
        assertExact();
    }

    /** So many keys that the contiguous halves have very different shares of them. */
    private static int unevenKeys() {
        int uneven = 0;
        int most = 0;
        int difference = 0;
        for (int keys = 1; keys <= 100; keys++) {
            int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(keys - 1, Jobs.MAX_PARALLELISM);
            difference += keyGroup < Jobs.MAX_PARALLELISM / 2 ? 1 : -1;
            if (keys >= 20 && 100 * Math.abs(difference) / keys > most) {
                most = 100 * Math.abs(difference) / keys;
                uneven = keys;
            }
        }
        return uneven;
    }

    @Test
    void evensOutLoadAtTheSameParallelismAndKeepsItThroughARestart() throws Exception {
        submit(unevenKeys());
        Assignment before = assignment();
        RescalePlans.VertexPlan plan = plan(2, "load-aware");
        double total = plan.loadBefore().get(0) + plan.loadBefore().get(1);
        double hottest = Math.max(plan.loadBefore().get(0), plan.loadBefore().get(1));
        assertThat(hottest).as("of " + plan.loadBefore()).isGreaterThan(0.53 * total);
        assertThat(plan.loadAfter()).allMatch(load -> load < 0.53 * total);
        assertThat(plan.steps()).isNotEmpty();
        assertThat(assignment()).isEqualTo(before);

        rescale(2, "load-aware");
        Assignment even = assignment();
        assertThat(even).isNotEqualTo(before);
        assertThat(even.counts()).hasSize(2);
        ledger.awaitResults(2_000);

        // what has moved counts as it did: nothing is left to do
        assertThat(plan(2, "load-aware").steps()).isEmpty();
        RescaleDetails again = rescale(2, "load-aware");
        assertThat(again.stepsTotal()).isZero();

        long checkpoints = Clusters.completedCheckpoints(cluster, job);
        Ledger.awaitOrFail(
                "a checkpoint", () -> Clusters.completedCheckpoints(cluster, job) > checkpoints);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, job) == 1);
        awaitRunning(1);
        assertThat(assignment()).isEqualTo(even);
        ledger.awaitResults(2_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void whatCannotBeIsRefusedAndNothingChanges() throws Exception {
        submit(1_000);
        Assignment before = assignment();
        assertRefused("fastest", "There is no strategy 'fastest': it can be one of");
        assertRefused(
                Greedy.class.getName(), "gives an impossible assignment: 1 subtasks instead of 3.");
        assertThat(assignment()).isEqualTo(before);
        assertThat(cluster.rescales(job).get()).isEmpty();
        assertExact();
    }

    private void assertRefused(String strategy, String message) {
        assertThatThrownBy(() -> cluster.rescale(job, request(3, strategy)).get())
                .cause()
                .isInstanceOfSatisfying(
                        RescaleRefusedException.class,
                        e -> {
                            assertThat(e.getKind())
                                    .isEqualTo(RescaleRefusedException.Kind.BAD_REQUEST);
                            assertThat(e).hasMessageContaining(message);
                        });
    }
}
