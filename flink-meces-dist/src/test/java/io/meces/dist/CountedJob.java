// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.run.JobHealth;
import io.meces.experiments.traffic.JobTopics;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import java.time.Duration;
import java.util.Collections;

/**
 * The world around a key-count job that is rescaled: records go into a topic, the counts come out
 * of another one. Not thread-safe.
 */
final class CountedJob implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int KEYS = 10_000;
    private static final int RATE = 2_000;
    private static final long SEED = 1;
    private static final int PARTITIONS = 2;

    private final Watchdog watchdog;
    private final KeyCountTraffic traffic;

    /** Makes the topics. */
    CountedJob(KafkaBroker kafka, String input, String output, ProcessGroup processes)
            throws Exception {
        watchdog = new Watchdog(processes);
        kafka.createTopic(input, PARTITIONS, Collections.emptyMap());
        kafka.createTopic(output, PARTITIONS, JobTopics.OUTPUT_CONFIG);
        traffic =
                new KeyCountTraffic(
                                new JobTopics(kafka.address(), input, output, PARTITIONS),
                                KEYS,
                                0,
                                watchdog,
                                false)
                        .load(RATE, KeyDistribution.UNIFORM.sampler(KEYS, SEED));
    }

    /** Sends records, until {@link #assertExact}, to the job, which runs. */
    void start(FlinkClient client, String jobId) throws Exception {
        watchdog.watch(client, jobId);
        traffic.preload();
        traffic.start();
    }

    /**
     * Waits for the counts of all records, and asserts that each came once, in order, and that the
     * job was not restarted.
     *
     * @param subtasks the subtasks of {@code count} that must have counted
     * @return what was counted, for a transcript
     */
    String assertExact(FlinkClient client, String jobId, Integer... subtasks) throws Exception {
        traffic.stop(PATIENCE);
        assertThat(traffic.drain(PATIENCE, PATIENCE)).isTrue();
        // at-least-once: what came twice would have come by now, or comes with a restart
        traffic.finish(PATIENCE);
        Verdict verdict = traffic.verdict(null);
        String counted =
                verdict.records
                        + " records, "
                        + verdict.results
                        + " results: "
                        + verdict.lost
                        + " lost, "
                        + verdict.duplicated
                        + " duplicated, "
                        + verdict.reordered
                        + " reordered, "
                        + verdict.unknown
                        + " unknown; per subtask "
                        + verdict.resultsPerSubtask;
        assertThat(verdict.isExact()).as(counted + verdict.examples).isTrue();
        assertThat(verdict.records).isEqualTo(traffic.sent());
        assertThat(verdict.resultsPerSubtask).containsOnlyKeys(subtasks);
        JobHealth health = JobHealth.of(client, jobId, Collections.singletonList("count"), 2);
        assertThat(health.wasRestarted()).isFalse();
        assertThat(health.checkpointsCompleted).isPositive();
        watchdog.unwatch();
        return counted;
    }

    @Override
    public void close() throws Exception {
        traffic.close();
    }
}
