// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.cli.rest.RefusedException;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.traffic.JobTopics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink and topics of a Kafka for one run. Not thread-safe: it belongs to the thread that has
 * opened it.
 */
public abstract class Environment implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Environment.class);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final List<String> ENDED = Arrays.asList("CANCELED", "FAILED", "FINISHED");

    private final FlinkClient client;
    private final JobTopics topics;
    private final Watchdog watchdog;
    private final List<String> jobs = new ArrayList<>();
    private final List<String> savepoints = new ArrayList<>();

    /**
     * An environment without jobs.
     *
     * @param topics what the jobs read and write; nobody else does
     * @param watchdog ends waits early
     */
    protected Environment(FlinkClient client, JobTopics topics, Watchdog watchdog) {
        this.client = client;
        this.topics = topics;
        this.watchdog = watchdog;
    }

    /** The JobManager. */
    public final FlinkClient client() {
        return client;
    }

    public final JobTopics topics() {
        return topics;
    }

    /** Watches the job that was started last. */
    public final Watchdog watchdog() {
        return watchdog;
    }

    /** Those that were started, also if they have not come to run. */
    protected final List<String> jobs() {
        return jobs;
    }

    /** Those from which jobs were started. */
    protected final List<String> usedSavepoints() {
        return savepoints;
    }

    /** The directory for savepoints, a URI. */
    public abstract String savepoints();

    /** The id of our uploaded job jar. */
    protected abstract String jar();

    /**
     * Starts a job of our jar that reads and writes the topics, and waits until all of its tasks
     * run, some minutes at most.
     *
     * @param mainClass null for the one that the jar names
     * @param more arguments besides those that tell of the topics
     * @param savepoint to start from; null for none
     * @return its id
     */
    public final String submit(
            @Nullable String mainClass, List<String> more, @Nullable String savepoint)
            throws Exception {
        if (savepoint != null) {
            savepoints.add(savepoint);
        }
        List<String> arguments = new ArrayList<>(topics.jobArguments());
        arguments.addAll(more);
        String jobId = UUID.randomUUID().toString().replace("-", "");
        // known before it is there: the answer may get lost
        jobs.add(jobId);
        client.runJar(jar(), mainClass, arguments, savepoint, jobId);
        watchdog.watch(client, jobId);
        watchdog.await("the job to run", () -> client.isSettled(jobId), POLL, START_TIMEOUT);
        return jobId;
    }

    /**
     * Cancels a job and waits until it is gone.
     *
     * @throws TimeoutException if it is not within the time
     */
    public final void cancel(String jobId, Duration timeout)
            throws IOException, InterruptedException, TimeoutException {
        try {
            client.cancel(jobId);
        } catch (RefusedException e) {
            LOG.debug("Job {} cannot be cancelled; it may have ended.", jobId, e);
        }
        // the watchdog of the run may have seen a failure
        new Watchdog().await("job " + jobId + " to end", () -> hasEnded(jobId), POLL, timeout);
    }

    /** Whether a job has ended. One that the JobManager does not know has, or has never begun. */
    protected final boolean hasEnded(String jobId) throws IOException {
        try {
            return ENDED.contains(client.job(jobId).path("state").asText());
        } catch (RefusedException e) {
            if (e.status() == 404) {
                return true;
            }
            throw e;
        }
    }

    /**
     * Takes away all that the run has brought, jobs that still run among it. Blocks for some
     * minutes at most.
     *
     * @throws IOException if a job goes on, which would disturb the next run
     */
    @Override
    public abstract void close() throws IOException;
}
