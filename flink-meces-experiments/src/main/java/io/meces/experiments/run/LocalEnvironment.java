// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.traffic.JobTopics;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import javax.annotation.Nullable;

/** Kafka, a Redis if it is needed, and a Flink cluster: processes of this machine. */
public final class LocalEnvironment extends Environment {
    /** Of each topic, if nobody wants another number. */
    public static final int PARTITIONS = 2;

    /** Of a job when it starts, and of its sources for ever: they read a partition each. */
    public static final int PARALLELISM = PARTITIONS;

    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);

    private final ProcessGroup processes;
    private final FlinkCluster flink;
    @Nullable private final RedisServer redis;
    private final String jar;

    private LocalEnvironment(
            ProcessGroup processes,
            FlinkCluster flink,
            @Nullable RedisServer redis,
            JobTopics topics,
            String jar) {
        super(flink.client(), topics, new Watchdog(processes));
        this.processes = processes;
        this.flink = flink;
        this.redis = redis;
        this.jar = jar;
    }

    /**
     * Starts all of it, and waits until it is ready, some minutes at most.
     *
     * @param spec the Flink cluster; how state travels is added
     * @param transitionService how state travels
     * @param partitions of each topic; jobs read with as many subtasks
     * @param logs where the logs go
     */
    public static LocalEnvironment start(
            Installation installation,
            FlinkCluster.Spec spec,
            String transitionService,
            int partitions,
            Path logs)
            throws Exception {
        ProcessGroup processes = new ProcessGroup("flink-meces-run");
        try {
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
            JobTopics topics = new JobTopics(kafka.address(), "events", "results", partitions);
            kafka.createTopic(topics.input, partitions, Collections.emptyMap());
            kafka.createTopic(topics.output, partitions, JobTopics.OUTPUT_CONFIG);
            flink.awaitReady(START_TIMEOUT);
            return new LocalEnvironment(
                    processes,
                    flink,
                    redis,
                    topics,
                    flink.client().uploadJar(installation.jobJar()));
        } catch (Exception | Error e) {
            processes.close();
            throw e;
        }
    }

    public FlinkCluster flink() {
        return flink;
    }

    /** What else is started there ends with the run. */
    public ProcessGroup processes() {
        return processes;
    }

    /** What the transition service has left in Redis; null if there is none. */
    @Nullable
    public RedisRemains redisRemains() throws Exception {
        return redis == null ? null : RedisRemains.of(redis, watchdog());
    }

    @Override
    public String savepoints() {
        return processes.directory().resolve("savepoints").toUri().toString();
    }

    @Override
    protected String jar() {
        return jar;
    }

    /** Stops the processes; what they have goes with them. Blocks for 10 s and a little at most. */
    @Override
    public void close() {
        processes.close();
    }
}
