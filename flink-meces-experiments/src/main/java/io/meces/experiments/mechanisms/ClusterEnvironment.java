// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.cli.rest.RefusedException;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster and a Kafka that belong to others. What the run brings there is taken away when it is
 * closed: jobs, savepoints, the jar, topics. When this JVM ends early, be it by Ctrl-C, the thread
 * that has opened it is interrupted, and given time to close it.
 */
final class ClusterEnvironment implements Environment {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterEnvironment.class);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final Duration END_TIMEOUT = Duration.ofSeconds(60);

    /** For all of {@link #close}, when the JVM ends. */
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(120);

    private static final List<String> ENDED = Arrays.asList("CANCELED", "FAILED", "FINISHED");

    private final FlinkClient client;
    private final JobTopics topics;
    @Nullable private final String savepointDirectory;
    private final PhaseLog phases;
    private final Watchdog watchdog = new Watchdog();
    private final List<String> jobs = new ArrayList<>();
    private final List<String> savepoints = new ArrayList<>();
    @Nullable private String jar;

    private final Thread owner = Thread.currentThread();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::haveItClosed, "experiment-shutdown");

    private ClusterEnvironment(
            FlinkClient client,
            JobTopics topics,
            @Nullable String savepointDirectory,
            PhaseLog phases) {
        this.client = client;
        this.topics = topics;
        this.savepointDirectory = savepointDirectory;
        this.phases = phases;
    }

    /**
     * Makes topics with new names and uploads the jar. Blocks for some minutes at most; if it
     * throws, nothing is left.
     *
     * @param client the JobManager
     * @param bootstrapServers of Kafka
     * @param partitions of each topic
     * @param savepoints the directory for savepoints, a URI; null if there will be none
     * @param jobJar what is uploaded
     * @param phases told what could not be taken away
     */
    static ClusterEnvironment open(
            FlinkClient client,
            String bootstrapServers,
            int partitions,
            @Nullable String savepoints,
            Path jobJar,
            PhaseLog phases)
            throws Exception {
        String name = "meces-bench-" + UUID.randomUUID();
        JobTopics topics =
                new JobTopics(bootstrapServers, name + "-events", name + "-results", partitions);
        ClusterEnvironment environment = new ClusterEnvironment(client, topics, savepoints, phases);
        Runtime.getRuntime().addShutdownHook(environment.hook);
        try {
            new TopicAdmin(bootstrapServers).create(topics);
            environment.jar = client.uploadJar(jobJar);
            return environment;
        } catch (Exception | Error e) {
            environment.closeAfter(e);
            throw e;
        }
    }

    private void closeAfter(Throwable failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public FlinkClient client() {
        return client;
    }

    @Override
    public JobTopics topics() {
        return topics;
    }

    @Override
    public String savepoints() {
        if (savepointDirectory == null) {
            throw new IllegalStateException("There is no directory for savepoints.");
        }
        return savepointDirectory;
    }

    @Override
    public Watchdog watchdog() {
        return watchdog;
    }

    @Override
    public String submit(@Nullable String mainClass, List<String> more, @Nullable String savepoint)
            throws Exception {
        if (savepoint != null) {
            savepoints.add(savepoint);
        }
        List<String> arguments = new ArrayList<>(topics.jobArguments());
        arguments.addAll(more);
        String jobId = UUID.randomUUID().toString().replace("-", "");
        // known before it is there: the answer may get lost
        jobs.add(jobId);
        client.runJar(jar, mainClass, arguments, savepoint, jobId);
        watchdog.watch(client, jobId);
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!client.isSettled(jobId)) {
            requireBefore(deadline, "The job does not run after " + START_TIMEOUT.getSeconds());
            watchdog.pause(POLL);
        }
        return jobId;
    }

    @Override
    public void cancel(String jobId, Duration timeout)
            throws IOException, InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + timeout.toNanos();
        // not that of the run, which may have seen a failure
        Watchdog patience = new Watchdog();
        try {
            client.cancel(jobId);
        } catch (RefusedException e) {
            LOG.debug("Job {} cannot be cancelled; it may have ended.", jobId, e);
        }
        while (!hasEnded(jobId)) {
            requireBefore(
                    deadline, "Job " + jobId + " has not ended after " + timeout.getSeconds());
            patience.pause(POLL);
        }
    }

    private static void requireBefore(long deadline, String message) throws TimeoutException {
        if (System.nanoTime() - deadline >= 0) {
            throw new TimeoutException(message + " s.");
        }
    }

    /** One that the JobManager does not know has ended, or has never begun. */
    private boolean hasEnded(String jobId) throws IOException {
        try {
            return ENDED.contains(client.job(jobId).path("state").asText());
        } catch (RefusedException e) {
            if (e.status() == 404) {
                return true;
            }
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        // what is left has to go all the same
        boolean interrupted = Thread.interrupted();
        try {
            watchdog.unwatch();
            takeAway();
        } finally {
            closed.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                LOG.debug("The JVM is ending, the hook stays.", e);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void takeAway() throws IOException {
        List<String> goOn = new ArrayList<>();
        for (String job : jobs) {
            if (!attempt("Job " + job, () -> end(job))) {
                goOn.add(job);
            }
        }
        for (String savepoint : savepoints) {
            attempt("The savepoint " + savepoint, () -> dispose(savepoint));
        }
        if (jar != null) {
            attempt("The jar " + jar, () -> client.deleteJar(jar));
        }
        attempt(
                "The topics " + topics.input + " and " + topics.output,
                () -> new TopicAdmin(topics.bootstrapServers).delete(topics));
        if (!goOn.isEmpty()) {
            throw new IOException(
                    "Jobs go on at " + client.address() + ": " + String.join(", ", goOn) + ".");
        }
    }

    private void end(String jobId) throws IOException, InterruptedException, TimeoutException {
        if (!hasEnded(jobId)) {
            cancel(jobId, END_TIMEOUT);
        }
    }

    private void dispose(String savepoint)
            throws IOException, InterruptedException, TimeoutException {
        String request = client.disposeSavepoint(savepoint);
        Watchdog patience = new Watchdog();
        long deadline = System.nanoTime() + END_TIMEOUT.toNanos();
        while (true) {
            JsonNode outcome = client.savepointDisposal(request);
            if (outcome != null) {
                JsonNode failure = outcome.path("failure-cause");
                if (!failure.isMissingNode() && !failure.isNull()) {
                    throw new IOException("Flink cannot delete it: " + failure);
                }
                return;
            }
            requireBefore(deadline, "It is not deleted after " + END_TIMEOUT.getSeconds());
            patience.pause(POLL);
        }
    }

    /** Does something that may fail without keeping the rest from being done. */
    private boolean attempt(String what, Removal removal) {
        try {
            removal.run();
            return true;
        } catch (IOException | TimeoutException | RuntimeException e) {
            stays(what, e);
        } catch (InterruptedException e) {
            stays(what, e);
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void stays(String what, Exception reason) {
        LOG.warn("{} stays.", what, reason);
        phases.line("%s could not be taken away from where it is: %s", what, reason);
    }

    private void haveItClosed() {
        owner.interrupt();
        try {
            if (!closed.await(SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                phases.line(
                        "Gave up: jobs %s at %s, and the topics %s and %s may stay.",
                        jobs, client.address(), topics.input, topics.output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes something away. */
    @FunctionalInterface
    private interface Removal {
        void run() throws IOException, InterruptedException, TimeoutException;
    }
}
