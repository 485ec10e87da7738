// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Watchdog;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;

/** Kafka, a Redis if it is needed, and a Flink cluster, all on this machine, for the job. */
public final class KeyCountEnvironment {
    public static final String INPUT = "events";
    public static final String OUTPUT = "results";

    /** Of each topic, if nobody wants another number. */
    public static final int PARTITIONS = 2;

    /** Of the job when it starts, and of its sources for ever: they read a partition each. */
    public static final int PARALLELISM = PARTITIONS;

    private static final int MAX_PARALLELISM = 128;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);

    private final Installation installation;
    private final KafkaBroker kafka;
    private final JobTopics topics;
    @Nullable private final RedisServer redis;
    private final FlinkCluster flink;

    private KeyCountEnvironment(
            Installation installation,
            KafkaBroker kafka,
            JobTopics topics,
            @Nullable RedisServer redis,
            FlinkCluster flink) {
        this.installation = installation;
        this.kafka = kafka;
        this.topics = topics;
        this.redis = redis;
        this.flink = flink;
    }

    /** As the other one, with {@link #PARTITIONS}. */
    public static KeyCountEnvironment start(
            Installation installation,
            FlinkCluster.Spec spec,
            String transitionService,
            ProcessGroup processes,
            Path logs)
            throws Exception {
        return start(installation, spec, transitionService, PARTITIONS, processes, logs);
    }

    /**
     * Starts all of it, and waits until it is ready, some minutes at most.
     *
     * @param installation where the jars are
     * @param spec the Flink cluster; how state travels is added
     * @param transitionService how state travels
     * @param partitions of each topic; jobs read with as many subtasks
     * @param processes get a member each
     * @param logs where the logs go
     */
    public static KeyCountEnvironment start(
            Installation installation,
            FlinkCluster.Spec spec,
            String transitionService,
            int partitions,
            ProcessGroup processes,
            Path logs)
            throws Exception {
        KafkaBroker kafka = KafkaBroker.start(installation.servers(), processes, logs);
        RedisServer redis = null;
        if (transitionService.equals(FlinkCluster.KAFKA_REDIS)) {
            redis = RedisServer.start(installation.servers(), processes, logs);
            redis.awaitReady(START_TIMEOUT);
            spec.config(FlinkCluster.TRANSITION_SERVICE, transitionService)
                    .config("meces.kafka.bootstrap.servers", kafka.address())
                    .config("meces.redis.hosts", redis.address());
        }
        FlinkCluster flink = FlinkCluster.start(installation, spec, processes, logs);
        kafka.awaitReady(START_TIMEOUT);
        JobTopics topics = new JobTopics(kafka.address(), INPUT, OUTPUT, partitions);
        kafka.createTopic(INPUT, partitions, Collections.emptyMap());
        kafka.createTopic(OUTPUT, partitions, JobTopics.OUTPUT_CONFIG);
        flink.awaitReady(START_TIMEOUT);
        return new KeyCountEnvironment(installation, kafka, topics, redis, flink);
    }

    public KafkaBroker kafka() {
        return kafka;
    }

    public JobTopics topics() {
        return topics;
    }

    /** Null if none is needed. */
    @Nullable
    public RedisServer redis() {
        return redis;
    }

    public FlinkCluster flink() {
        return flink;
    }

    /**
     * Starts the job and waits until it runs; the watchdog watches it from then on.
     *
     * @param more arguments of {@link KeyCountJob}
     * @return its id
     */
    public String submit(List<String> more, Watchdog watchdog) throws Exception {
        return submit(upload(), null, more, null, watchdog);
    }

    /** Uploads the job jar; returns its id. */
    public String upload() throws IOException {
        return flink.client().uploadJar(installation.jobJar());
    }

    /**
     * Starts a job of the jar that reads and writes the topics, and waits until it runs; the
     * watchdog watches it from then on.
     *
     * @param jarId the uploaded jar
     * @param mainClass null for the key-count job
     * @param more arguments for it
     * @param savepoint to start from; null for none
     * @return its id
     */
    public String submit(
            String jarId,
            @Nullable String mainClass,
            List<String> more,
            @Nullable String savepoint,
            Watchdog watchdog)
            throws Exception {
        FlinkClient client = flink.client();
        List<String> arguments = new ArrayList<>(topics.jobArguments());
        arguments.addAll(Arrays.asList("--max-parallelism", String.valueOf(MAX_PARALLELISM)));
        arguments.addAll(more);
        String jobId = client.runJar(jarId, mainClass, arguments, savepoint, null);
        watchdog.watch(client, jobId);
        flink.jobManager().awaitReady(() -> client.isSettled(jobId), START_TIMEOUT);
        return jobId;
    }

    /** What sends records to the job, in {@link #PARTITIONS}. */
    public LoadGenerator openLoad(int keys, Watchdog watchdog) {
        return new LoadGenerator(kafka.address(), INPUT, PARTITIONS, keys, watchdog);
    }

    /** What reads the results of the job, from {@link #PARTITIONS}. */
    public ResultReader<CountResults> openResults(int keys, Watchdog watchdog) {
        return new ResultReader<>(
                kafka.address(), OUTPUT, PARTITIONS, new CountResults(keys), watchdog, false);
    }

    /**
     * Cancels the job and waits until it is cancelled.
     *
     * @throws java.util.concurrent.TimeoutException if it is not within the time
     */
    public void cancel(String jobId, Duration timeout) throws Exception {
        flink.client().cancel(jobId);
        flink.jobManager()
                .awaitReady(
                        () -> "CANCELED".equals(flink.client().job(jobId).path("state").asText()),
                        timeout);
    }
}
