// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.networks;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.LatencyAnalysis;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.run.JobHealth;
import io.meces.experiments.run.LocalEnvironment;
import io.meces.experiments.traffic.JobTopics;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key-count job with its TaskManagers, of one slot each, on hosts of their own; Kafka, the
 * JobManager and the load are on the hub. It is rescaled on a network that is bad, or is cut for
 * some time when the rescale is in a state.
 */
final class NetworkTrial {
    private static final Logger LOG = LoggerFactory.getLogger(NetworkTrial.class);
    private static final int TASK_MANAGERS = 3;
    private static final int KEYS = 20_000;
    private static final int PAYLOAD_BYTES = 2_000;
    private static final int RATE = 2_000;
    private static final long SEED = 1;

    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration STEADY = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final Duration RESCALE = Duration.ofSeconds(300);
    private static final Duration DRAIN = Duration.ofSeconds(180);
    private static final Duration STOP = Duration.ofSeconds(30);

    private final NetworkCase networkCase;
    private final Installation installation;
    private final Path logs;

    NetworkTrial(NetworkCase networkCase, Installation installation, Path logs) {
        this.networkCase = networkCase;
        this.installation = installation;
        this.logs = logs;
    }

    /** What was measured. */
    static final class Result {
        final RescaleDetails rescale;
        final Verdict verdict;
        final long restarts;
        final double peakMillis;
        final RescaleState cutIn;

        private Result(
                RescaleDetails rescale,
                Verdict verdict,
                long restarts,
                double peakMillis,
                RescaleState cutIn) {
            this.rescale = rescale;
            this.verdict = verdict;
            this.restarts = restarts;
            this.peakMillis = peakMillis;
            this.cutIn = cutIn;
        }

        /** A row of a table: duration, peak in ms, restarts, exactness. */
        String row(NetworkCase of) {
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %s in attempt %d | %d | %.0f | %d | %s |",
                    of,
                    cutIn == null ? "" : cutIn,
                    rescale.status(),
                    rescale.attempt(),
                    rescale.durationMs(),
                    peakMillis,
                    restarts,
                    verdict.isExact()
                            ? "exact"
                            : verdict.isExactBesidesDuplicates()
                                    ? "exact, some results twice"
                                    : "NOT exact");
        }
    }

    Result run() throws Exception {
        try (NetworkLab network = new NetworkLab(logs, TASK_MANAGERS);
                ProcessGroup processes = new ProcessGroup("flink-meces-networks")) {
            KafkaBroker kafka =
                    KafkaBroker.start(installation.servers(), processes, logs, listeners(network));
            FlinkCluster flink = FlinkCluster.start(installation, spec(network), processes, logs);
            kafka.awaitReady(START);
            JobTopics topics =
                    new JobTopics(
                            network.address(0)
                                    + kafka.address().substring(kafka.address().indexOf(':')),
                            "events",
                            "results",
                            LocalEnvironment.PARTITIONS);
            kafka.createTopic(topics.input, topics.partitions, Collections.emptyMap());
            kafka.createTopic(topics.output, topics.partitions, JobTopics.OUTPUT_CONFIG);
            flink.awaitReady(START);
            Watchdog watchdog = new Watchdog(processes);
            String jobId = submit(flink, topics, watchdog);
            try (KeyCountTraffic traffic =
                    new KeyCountTraffic(topics, KEYS, PAYLOAD_BYTES, watchdog, false)) {
                return measure(network, flink.client(), jobId, traffic, watchdog);
            }
        }
    }

    private static Map<String, String> listeners(NetworkLab network) {
        Map<String, String> settings = new HashMap<>();
        settings.put("broker.session.timeout.ms", "120000");
        settings.put("listeners", "PLAINTEXT://0.0.0.0:{port},CONTROLLER://127.0.0.1:{controller}");
        settings.put("advertised.listeners", "PLAINTEXT://" + network.address(0) + ":{port}");
        return settings;
    }

    private static FlinkCluster.Spec spec(NetworkLab network) {
        return new FlinkCluster.Spec()
                .quickStart(true)
                .taskManagers(TASK_MANAGERS, 1)
                .taskManagersOn(network)
                .config("jobmanager.rpc.address", network.address(0))
                .config("jobmanager.bind-host", "0.0.0.0");
    }

    private String submit(FlinkCluster flink, JobTopics topics, Watchdog watchdog)
            throws Exception {
        FlinkClient client = flink.client();
        List<String> arguments = new ArrayList<>(topics.jobArguments());
        arguments.addAll(
                Arrays.asList(
                        "--payload", String.valueOf(PAYLOAD_BYTES),
                        "--checkpoint-interval", "5000",
                        "--restart-attempts", "100"));
        if (networkCase.isScaleIn()) {
            arguments.addAll(Arrays.asList("--keyed-parallelism", "3"));
        }
        String jobId = client.runJar(client.uploadJar(installation.jobJar()), null, arguments);
        watchdog.watch(client, jobId);
        flink.jobManager().awaitReady(() -> client.isSettled(jobId), START);
        return jobId;
    }

    private Result measure(
            NetworkLab network,
            FlinkClient client,
            String jobId,
            KeyCountTraffic traffic,
            Watchdog watchdog)
            throws Exception {
        traffic.prefill();
        networkCase.apply(network);
        long startMicros = traffic.load(RATE, KeyDistribution.UNIFORM.sampler(KEYS, SEED)).start();
        watchdog.pause(STEADY);

        String vertex =
                client.elasticity(jobId).vertices().stream()
                        .filter(v -> v.name().startsWith(KeyCountJob.COUNTER))
                        .findFirst()
                        .orElseThrow(() -> new IOException("nothing can be rescaled"))
                        .id();
        int donor = hostOf(client, jobId, vertex, networkCase.isScaleIn() ? 2 : 0);
        long rescaleMicros = EpochMicros.now();
        String id =
                client.rescale(
                        jobId,
                        RescaleRequest.of(
                                Collections.singletonList(
                                        RescaleRequest.Target.byId(
                                                vertex, networkCase.isScaleIn() ? 2 : 3))));
        RescaleState cutIn = null;
        if (networkCase.cutSeconds() > 0) {
            cutIn = cut(network, client, jobId, id, donor, watchdog);
            watchdog.pause(Duration.ofSeconds(networkCase.cutSeconds()));
            network.heal();
            LOG.info("{}: healed", networkCase);
        }
        RescaleDetails rescale = awaitEnd(client, jobId, id, watchdog);
        LOG.info("{}: {} {}", networkCase, rescale.status(), rescale.failure());
        watchdog.pause(STEADY);
        Interval load = new Interval(startMicros, traffic.stop(STOP));
        boolean complete = traffic.drain(DRAIN, DRAIN);
        if (!complete) {
            LOG.warn("{}: {} of {} came", networkCase, traffic.distinct(), traffic.sent());
        }
        JobHealth health =
                JobHealth.of(
                        client,
                        jobId,
                        Collections.singletonList(KeyCountJob.COUNTER),
                        LocalEnvironment.PARALLELISM);
        watchdog.unwatch();
        client.cancel(jobId);
        traffic.finish(STOP);
        return new Result(
                rescale,
                traffic.verdict(null),
                health.restarts == null ? health.highestAttempt : health.restarts,
                new LatencyAnalysis(traffic.results(), load)
                        .within(new Interval(rescaleMicros, load.endMicros))
                        .max,
                cutIn);
    }

    /** On which host a subtask runs. */
    private static int hostOf(FlinkClient client, String jobId, String vertex, int subtask)
            throws IOException {
        for (JsonNode candidate : client.vertex(jobId, vertex).path("subtasks")) {
            if (candidate.path("subtask").asInt() == subtask) {
                String taskManager = candidate.path("taskmanager-id").asText();
                return Integer.parseInt(taskManager.replace("taskmanager-", ""));
            }
        }
        throw new IOException("There is no subtask " + subtask + " of " + vertex);
    }

    /** Cuts in the state, or in a later one if that is short; returns the one it has hit. */
    private RescaleState cut(
            NetworkLab network,
            FlinkClient client,
            String jobId,
            String id,
            int donor,
            Watchdog watchdog)
            throws Exception {
        RescaleState state = client.rescale(jobId, id).state();
        long deadline = System.nanoTime() + RESCALE.toNanos();
        while (state == null || state.compareTo(networkCase.state()) < 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("The rescale is still " + state);
            }
            watchdog.pause(POLL);
            RescaleDetails rescale = client.rescale(jobId, id);
            if (rescale.status().isTerminal()) {
                throw new IOException("The rescale has ended before " + networkCase.state());
            }
            state = rescale.state();
        }
        networkCase.cut(network, donor, TASK_MANAGERS);
        state = client.rescale(jobId, id).state();
        LOG.info("{}: cut in {}", networkCase, state);
        return state;
    }

    private static RescaleDetails awaitEnd(
            FlinkClient client, String jobId, String id, Watchdog watchdog) throws Exception {
        long deadline = System.nanoTime() + RESCALE.toNanos();
        RescaleDetails rescale = client.rescale(jobId, id);
        while (!rescale.status().isTerminal()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException(
                        "The rescale is still " + rescale.status() + " " + rescale.state());
            }
            watchdog.pause(POLL);
            rescale = client.rescale(jobId, id);
        }
        return rescale;
    }

    /** Whether the rescale has come to its end. */
    static boolean isFinished(Result result) {
        return result.rescale.status() == RescaleStatus.FINISHED;
    }
}
