// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.runtime.transition.TestKeys;
import io.meces.servers.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a user's {@code flink-conf.yaml} says works as ever, and jobs are rescaled with it.
 * JobManager and TaskManagers have an RPC service each, as processes have.
 */
@Tag("full")
@Timeout(120)
class UserConfigurationsTest {

    @TempDir private static Path directory;

    private final Ledger ledger = new Ledger();

    /** Lines of a configuration that have to do with each other. */
    private static final class Lines {
        private final String name;
        private final Configuration configuration = new Configuration();
        private boolean fails;

        private Lines(String name) {
            this.name = name;
        }

        private Lines set(String key, String value) {
            configuration.setString(key, value);
            return this;
        }

        /** A task throws once, between two rescales. */
        private Lines fails() {
            fails = true;
            return this;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Lines> configurations() throws Exception {
        List<Lines> all = new ArrayList<>();
        all.add(ports());
        all.add(
                tls("TLS within the cluster", true)
                        // Flink's data port alone is left open by this; ours is not
                        .set("blob.service.ssl.enabled", "true"));
        all.add(tls("TLS within the cluster, but for data", false));
        all.add(
                new Lines("restart of all tasks")
                        .set("jobmanager.execution.failover-strategy", "full")
                        .set("restart-strategy", "fixeddelay")
                        .set("restart-strategy.fixed-delay.delay", "50 ms")
                        .set("restart-strategy.fixed-delay.attempts", "3")
                        .fails());
        all.add(
                new Lines("failure rate")
                        .set("restart-strategy", "failure-rate")
                        .set("restart-strategy.failure-rate.max-failures-per-interval", "3")
                        .set("restart-strategy.failure-rate.delay", "50 ms")
                        .set("jobmanager.execution.attempts-history-size", "1")
                        .fails());
        all.add(new Lines("no restarts").set("restart-strategy", "none"));
        all.add(
                new Lines("records that are used again, each sent at once")
                        .set("pipeline.object-reuse", "true")
                        .set("execution.buffer-timeout", "0 ms")
                        .set("metrics.latency.interval", "20")
                        .set("metrics.latency.granularity", "subtask"));
        all.add(
                new Lines("small buffers, and few")
                        .set("execution.buffer-timeout", "1 s")
                        .set("taskmanager.memory.segment-size", "4kb")
                        .set("taskmanager.network.memory.buffers-per-channel", "1")
                        .set("taskmanager.network.memory.floating-buffers-per-gate", "1")
                        .set("taskmanager.network.memory.max-buffers-per-channel", "2")
                        .set("pipeline.auto-watermark-interval", "0"));
        all.add(
                new Lines("network")
                        .set("taskmanager.network.netty.transport", "nio")
                        .set("taskmanager.network.netty.server.numThreads", "1")
                        .set("taskmanager.network.netty.client.numThreads", "1")
                        .set("taskmanager.network.netty.num-arenas", "1")
                        .set("taskmanager.network.netty.sendReceiveBufferSize", "8192")
                        .set("taskmanager.network.request-backoff.initial", "1")
                        .set("taskmanager.network.request-backoff.max", "100")
                        .set("taskmanager.network.retries", "2")
                        .set("taskmanager.network.detailed-metrics", "true")
                        .set("taskmanager.network.blocking-shuffle.compression.enabled", "true")
                        .set("taskmanager.network.blocking-shuffle.type", "mmap"));
        all.add(
                new Lines("small frames, short time limits")
                        .set("akka.framesize", "262144b")
                        .set("akka.ask.timeout", "3 s")
                        .set("heartbeat.interval", "500")
                        .set("heartbeat.timeout", "4000")
                        .set("slot.idle.timeout", "500")
                        .set("blob.offload.minsize", "1024")
                        .set("cluster.io-pool.size", "1"));
        all.add(
                new Lines("slots")
                        .set("slotmanager.number-of-slots.max", "6")
                        .set("slot.request.timeout", "20000")
                        .set("cluster.evenly-spread-out-slots", "true"));
        all.add(
                new Lines("checkpoints")
                        .set("execution.checkpointing.interval", "200 ms")
                        .set("execution.checkpointing.min-pause", "10 ms")
                        .set("execution.checkpointing.max-concurrent-checkpoints", "1")
                        .set("execution.checkpointing.mode", "EXACTLY_ONCE")
                        .set(
                                "execution.checkpointing.externalized-checkpoint-retention",
                                "RETAIN_ON_CANCELLATION")
                        .set("execution.checkpointing.tolerable-failed-checkpoints", "2")
                        .set("state.checkpoints.num-retained", "3")
                        .set("state.backend", Clusters.isLater() ? "hashmap" : "filesystem")
                        .set("state.backend.fs.memory-threshold", "0")
                        .set("state.backend.fs.write-buffer-size", "512")
                        .set("state.backend.local-recovery", "true")
                        .set("state.checkpoints.dir", directory.resolve("c").toUri().toString())
                        .set("state.savepoints.dir", directory.resolve("s").toUri().toString())
                        .set("io.tmp.dirs", directory.resolve("t") + "," + directory.resolve("u"))
                        .set("restart-strategy", "fixed-delay")
                        .set("restart-strategy.fixed-delay.attempts", "3")
                        .set("restart-strategy.fixed-delay.delay", "50 ms")
                        .fails());
        all.add(
                new Lines("at least once")
                        .set("execution.checkpointing.interval", "300 ms")
                        .set("execution.checkpointing.mode", "AT_LEAST_ONCE"));
        all.add(
                new Lines("metrics")
                        .set("metrics.reporters", "own")
                        .set("metrics.reporter.own.factory.class", UsersReporter.class.getName())
                        .set("metrics.reporter.own.interval", "100 MILLISECONDS")
                        .set("metrics.scope.delimiter", "-")
                        .set("metrics.scope.task", "<job_name>.<task_name>.<subtask_index>")
                        .set("metrics.scope.operator", "<operator_name>.<subtask_index>")
                        .set("metrics.fetcher.update-interval", "0"));
        all.add(
                new Lines("classes and jobs")
                        .set("classloader.resolve-order", "parent-first")
                        .set("classloader.check-leaked-classloader", "false")
                        .set("classloader.parent-first-patterns.additional", "org.example")
                        .set("web.submit.enable", "false")
                        .set("web.access-control-allow-origin", "https://console.example")
                        .set("jobmanager.archive.fs.dir", directory.resolve("a").toUri().toString())
                        .set("jobstore.max-capacity", "1")
                        .set("pipeline.operator-chaining", "false")
                        .set("pipeline.generic-types", "true")
                        .set("pipeline.closure-cleaner-level", "NONE")
                        .set("jobmanager.partition.release-during-job-execution", "false")
                        .set("task.cancellation.timeout", "30000"));
        return all;
    }

    /** Two TaskManagers are one machine here: what has to be different for them is a range. */
    private static Lines ports() throws Exception {
        int[] free = FreePorts.find(3);
        String range = "50100-50400";
        return new Lines("ports")
                .set("rest.bind-port", free[0] + "," + free[1])
                .set("blob.server.port", range)
                .set("taskmanager.rpc.port", range)
                .set("jobmanager.rpc.port", String.valueOf(free[2]))
                .set("metrics.internal.query-service.port", range)
                .set("meces.transition-service.netty.port", "0");
    }

    private static Lines tls(String name, boolean data) throws Exception {
        String store = TestKeys.make(directory, "cluster-" + data).store().toString();
        return new Lines(name)
                .set("security.ssl.internal.enabled", "true")
                .set("security.ssl.internal.keystore", store)
                .set("security.ssl.internal.truststore", store)
                .set("security.ssl.internal.keystore-password", TestKeys.PASSWORD)
                .set("security.ssl.internal.key-password", TestKeys.PASSWORD)
                .set("security.ssl.internal.truststore-password", TestKeys.PASSWORD)
                .set("security.ssl.rest.enabled", "true")
                .set("security.ssl.rest.keystore", store)
                .set("security.ssl.rest.truststore", store)
                .set("security.ssl.rest.keystore-password", TestKeys.PASSWORD)
                .set("security.ssl.rest.key-password", TestKeys.PASSWORD)
                .set("security.ssl.rest.truststore-password", TestKeys.PASSWORD)
                .set("security.ssl.algorithms", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
                .set("taskmanager.data.ssl.enabled", String.valueOf(data));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void jobsAreRescaledAsEver(Lines lines) throws Exception {
        Configuration configuration = new Configuration(lines.configuration);
        try (MecesMiniCluster cluster =
                Clusters.builder(2, 3, configuration).dedicatedRpcServices().start()) {
            JobID job = cluster.submit(TestGraphs.of(job(configuration), "counting"));
            awaitRunning(cluster, job, 0);
            assertThat(cluster.elasticity(job).get(30, TimeUnit.SECONDS).refusal()).isNull();
            rescale(cluster, job, 4);
            rescale(cluster, job, 1);
            if (lines.fails) {
                Clusters.awaitCheckpointOfNow(cluster, job);
                long before = ledger.results.get();
                ledger.failOnce = true;
                Clusters.awaitRecovery(cluster, job, ledger, before);
                awaitRunning(cluster, job, 1);
            }
            rescale(cluster, job, 3);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(Clusters.restarts(cluster, job)).isEqualTo(lines.fails ? 1 : 0);
            if (!lines.fails) {
                assertThat(verdict.duplicated).isZero();
                assertThat(ledger.late.get()).isZero();
            }
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
        if (lines.configuration.containsKey("metrics.reporters")) {
            assertThat(UsersReporter.hasOurs).as("the reporter has seen metrics of ours").isTrue();
        }
    }

    /** The configuration of the cluster is also that of the client, as with {@code bin/flink}. */
    private StreamExecutionEnvironment job(Configuration configuration) {
        StreamExecutionEnvironment env = new StreamExecutionEnvironment(configuration);
        env.setParallelism(2);
        env.setMaxParallelism(Jobs.MAX_PARALLELISM);
        if (!configuration.containsKey("execution.checkpointing.interval")) {
            env.enableCheckpointing(300);
        }
        Jobs.count(Jobs.source(env, ledger, 1_000, Long.MAX_VALUE), ledger, 2);
        return env;
    }

    private void awaitRunning(MecesMiniCluster cluster, JobID job, int restarts) throws Exception {
        ledger.awaitResults(1_000);
        Ledger.awaitOrFail("the job runs", () -> Clusters.knowsToRun(cluster, job, restarts));
    }

    private void rescale(MecesMiniCluster cluster, JobID job, int parallelism) throws Exception {
        RescaleDetails end = cluster.rescale(job, "count", parallelism).get(60, TimeUnit.SECONDS);
        assertThat(end.failure()).isNull();
        ledger.awaitResults(1_000);
    }
}
